/** Provider without real payments, for trying and tests: the card number decides the result (`docs/payments.md`). */
import { hash } from 'node:crypto';
import type { HttpReply } from '../../core/http-exchange.ts';
import type { PaymentDetails } from '../../core/payment.ts';
import { lost, type PaymentResult } from './payment-adapter.ts';

const REFUSALS: Readonly<Record<string, string>> = {
  '4000000000000002': 'card_declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
};
const BROKEN = '4000000000000119';
const SILENT = '4000000000000259';
const ID_LENGTH = 12;

export function paySimulated({
  order,
  card: { number },
}: PaymentDetails): PaymentResult | Extract<HttpReply, { ok: false }> {
  const code = REFUSALS[number];
  if (code !== undefined) return { status: 'declined', code, message: `the simulated card says ${code}` };
  if (number === BROKEN) return lost('the simulated provider failed');
  if (number === SILENT) return { ok: false, reason: 'timeout', message: 'the simulated provider did not answer' };
  const made = hash('sha256', order.id).slice(0, ID_LENGTH);
  const token = `tok-${made}`;
  return order.action === 'tokenize'
    ? { status: 'tokenized', token }
    : { status: 'paid', confirmation: `sim-${made}`, token };
}
