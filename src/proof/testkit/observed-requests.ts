/** Requests of a call in the form of tests: HTTP requests, and separately the orders that a provider carries out. */
import type { HttpRequest } from '../../base/core/http-exchange.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';

type Observed = { requests: readonly HttpRequest[] };

export const requestsOf = ({ requests }: Observed): HttpRequest[] =>
  requests.filter(({ message, payment, call }) => [message, payment, call].every((each) => each === undefined));

/** Messages, payments, or calls that were placed or cancelled. */
export const ordersOf = ({ requests }: Observed, kind: 'message' | 'payment' | 'call'): JsonObject[] =>
  requests.flatMap(({ name: step, body, [kind]: order }): JsonObject[] =>
    order && isObject(body) ? [{ step, ...('provider' in order && { provider: order.provider }), ...body }] : [],
  );
