/**
 * Adapter for providers that accept the JSON of `docs/payments.md`, usually a custom service in front of the bank's.
 */
import type { HttpReply } from '../../core/http-exchange.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { PaymentAnswer, PaymentOrder } from '../../core/payment.ts';
import { lost, type PaymentAdapter, type PaymentResult, refused, resultOfStatus, textsIn } from './payment-adapter.ts';

export const payGeneric: PaymentAdapter<'generic'> = async ({ order, card }, { url, headers }, exchange) => {
  const { number, expiryMonth, expiryYear, securityCode, postalCode } = card;
  const shown: JsonObject = {
    number,
    expiry_month: expiryMonth,
    expiry_year: expiryYear,
    ...(securityCode !== undefined && { security_code: securityCode }),
    ...(postalCode !== undefined && { postal_code: postalCode }),
  };
  const reply = await exchange({
    url,
    headers: { ...headers, 'idempotency-key': order.id },
    body: { ...(order as unknown as JsonObject), card: shown },
  });
  return reply.ok ? readGenericAnswer(reply, order) : reply;
};

/** Also reads the responses that tests define. */
export function readGenericAnswer(
  { status, body }: Pick<Extract<HttpReply, { ok: true }>, 'status' | 'body'>,
  { action }: Pick<PaymentOrder, 'action'>,
): PaymentResult {
  const byStatus = resultOfStatus(status);
  if (byStatus === 'refused') return refused(status);
  if (byStatus === 'lost') return lost(`the provider answered ${status}`);
  if (byStatus === 'declined' || said(body) === 'declined') {
    return { status: 'declined', ...textsIn(body, { code: 'code', message: 'message' }) };
  }
  const done = action === 'charge' ? 'paid' : 'tokenized';
  const found = textsIn(body, { confirmation: 'confirmation', token: 'token' });
  const isDone = said(body) === done && (done === 'paid' || found['token'] !== undefined);
  return isDone ? ({ status: done, ...found } satisfies PaymentAnswer) : lost('the answer does not say what was done');
}

const said = (body: Json): Json => (isObject(body) ? (body['status'] ?? null) : null);
