/** The port of providers of payments: one adapter for each of them. Neighbour: `send-payment.ts` chooses it. */
import type { HttpReply, HttpRequest } from '../../core/http-exchange.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { PaymentAnswer, PaymentDetails, PaymentProvider } from '../../core/payment.ts';

/** Sends one request to the provider: the card is in its body. */
export type PaymentExchange = (request: Pick<HttpRequest, 'url' | 'headers' | 'body' | 'isForm'>) => Promise<HttpReply>;

/**
 * An answer, or why there is none: `refused` is the request as such, with nothing paid; `lost` an answer that cannot be
 * read, so that nobody knows.
 */
export type PaymentResult = PaymentAnswer | { status: 'refused' | 'lost'; message: string };

/** Undefined: no answer came (`HttpReply` says why). */
export type PaymentAdapter<Name extends PaymentProvider['adapter']> = (
  details: PaymentDetails,
  provider: Extract<PaymentProvider, { adapter: Name }>,
  exchange: PaymentExchange,
) => Promise<PaymentResult | Extract<HttpReply, { ok: false }>>;

const PAYMENT_REQUIRED = 402;

/** What an answer says by its status alone; undefined: the provider has done what it was asked for. */
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

/** The texts of these names, where there are any. */
export function textsIn(body: Json, names: Readonly<Record<string, string>>): Record<string, string> {
  if (!isObject(body)) return {};
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, key]) => {
      const value = body[key];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}
