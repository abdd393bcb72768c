/** Port for payment providers, with one adapter for each. `send-payment.ts` chooses it. */
import type { HttpReply, HttpRequest } from '../../core/http-exchange.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { PaymentAnswer, PaymentDetails, PaymentProvider } from '../../core/payment.ts';

/** Sends one request to the provider: the card is in its body. */
export type PaymentExchange = (request: Pick<HttpRequest, 'url' | 'headers' | 'body' | 'isForm'>) => Promise<HttpReply>;

/**
 * An answer, or the reason for its absence: with `refused` the request itself was rejected and no money moved; with
 * `lost` the answer cannot be read, so that the result is unknown.
 */
export type PaymentResult = PaymentAnswer | { status: 'refused' | 'lost'; message: string };

/** Resolves with the failed `HttpReply` if there was no answer. */
export type PaymentAdapter<Name extends PaymentProvider['adapter']> = (
  details: PaymentDetails,
  provider: Extract<PaymentProvider, { adapter: Name }>,
  exchange: PaymentExchange,
) => Promise<PaymentResult | Extract<HttpReply, { ok: false }>>;

const PAYMENT_REQUIRED = 402;

/** Result that follows from the status alone; undefined if the provider executed the request. */
export function resultOfStatus(status: number): 'declined' | 'refused' | 'lost' | undefined {
  if (status === PAYMENT_REQUIRED) return 'declined';
  if (status >= 500) return 'lost';
  return status >= 300 ? 'refused' : undefined;
}

export const refused = (status: number): PaymentResult => ({
  status: 'refused',
  message: `the provider refused the request (${status})`,
});
export const lost = (message: string): PaymentResult => ({ status: 'lost', message });

/** Text fields of these names that exist. */
export function textsIn(body: Json, names: Readonly<Record<string, string>>): Record<string, string> {
  if (!isObject(body)) return {};
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, key]) => {
      const value = body[key];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}
