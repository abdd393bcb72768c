/** Requests of a call in the form of tests: HTTP requests, and separately the orders that a provider carries out. */
import type { HttpRequest } from '../../base/core/http-exchange.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';

type Observed = { requests: readonly HttpRequest[] };

export const requestsOf = ({ requests }: Observed): HttpRequest[] =>
  requests.filter(({ message, payment }) => message === undefined && payment === undefined);

/** Messages or payments. */
export const ordersOf = ({ requests }: Observed, kind: 'message' | 'payment'): JsonObject[] =>
  requests.flatMap(({ name: step, body, [kind]: order }): JsonObject[] =>
    order && isObject(body) ? [{ step, ...(order.provider && { provider: order.provider }), ...body }] : [],
  );
