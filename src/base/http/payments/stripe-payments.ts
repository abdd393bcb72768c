/**
 * Adapter for Stripe: a PaymentMethod of the card, which is the token, and for a charge a PaymentIntent that is
 * confirmed at once. Both requests have idempotency keys, so that Stripe executes each of them once.
 */
import { isObject, type Json } from '../../core/json.ts';
import type { PaymentCard } from '../../core/payment.ts';
import { lost, type PaymentAdapter, type PaymentResult, refused, resultOfStatus, textsIn } from './payment-adapter.ts';

const API = 'https://api.stripe.com/v1';
/** States in which the card was accepted; the money may arrive later. */
const TAKEN = ['succeeded', 'requires_capture', 'processing'];

export const payWithStripe: PaymentAdapter<'stripe'> = async ({ order, card }, { key, moto }, exchange) => {
  const post = (path: string, name: string, fields: Record<string, string>) =>
    exchange({
      url: `${API}/${path}`,
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': `${order.id}:${name}` },
      body: fields,
      isForm: true,
    });
  const made = await post('payment_methods', 'card', cardFields(card));
  if (!made.ok) return made;
  const wrong = refusalOf(made.status, made.body);
  if (wrong) return wrong;
  const { token } = textsIn(made.body, { token: 'id' });
  // No charge has been made yet.
  if (token === undefined) return { status: 'refused', message: 'the answer of the provider has no token' };
  if (order.action === 'tokenize') return { status: 'tokenized', token };
  const charged = await post('payment_intents', 'charge', {
    amount: String(order.amount_minor),
    currency: String(order.currency).toLowerCase(),
    payment_method: token,
    'payment_method_types[]': 'card',
    confirm: 'true',
    // A caller on the phone cannot complete a challenge in a browser.
    error_on_requires_action: 'true',
    'metadata[callweave_id]': order.id,
    ...(order.description !== undefined && { description: order.description }),
    ...(moto && { 'payment_method_options[card][moto]': 'true' }),
  });
  if (!charged.ok) return charged;
  const declined = refusalOf(charged.status, charged.body);
  if (declined) return declined;
  const { confirmation, state } = textsIn(charged.body, { confirmation: 'id', state: 'status' });
  if (confirmation === undefined || state === undefined) return lost('the answer does not say what was done');
  if (!TAKEN.includes(state)) return { status: 'declined', code: state };
  return { status: 'paid', confirmation, token };
};

function cardFields({ number, expiryMonth, expiryYear, securityCode, postalCode }: PaymentCard) {
  return {
    type: 'card',
    'card[number]': number,
    'card[exp_month]': String(expiryMonth),
    'card[exp_year]': String(expiryYear),
    ...(securityCode !== undefined && { 'card[cvc]': securityCode }),
    ...(postalCode !== undefined && { 'billing_details[address][postal_code]': postalCode }),
  };
}

/** A 402 concerns the card; `decline_code` is the reason of the bank. */
function refusalOf(status: number, body: Json): PaymentResult | undefined {
  const byStatus = resultOfStatus(status);
  if (byStatus === undefined) return undefined;
  if (byStatus === 'lost') return lost(`the provider answered ${status}`);
  if (byStatus === 'refused') return refused(status);
  const error = isObject(body) ? (body['error'] ?? null) : null;
  const { decline, ...texts } = textsIn(error, { code: 'code', decline: 'decline_code', message: 'message' });
  return { status: 'declined', ...texts, ...(decline !== undefined && { code: decline }) };
}
