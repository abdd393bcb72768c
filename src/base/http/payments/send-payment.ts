/**
 * Sends a card payment to its provider, and reduces any answer to one that may be journalled: a few short texts without
 * card data, whatever the provider wrote.
 */
import type { HttpReply } from '../../core/http-exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PaymentCard, PaymentDetails, PaymentProvider } from '../../core/payment.ts';
import { payGeneric } from './generic-payments.ts';
import type { PaymentExchange, PaymentResult } from './payment-adapter.ts';
import { paySimulated } from './simulated-payments.ts';
import { payWithStripe } from './stripe-payments.ts';

type NoAnswer = Extract<HttpReply, { ok: false }>;

const MAX_TEXT = 200;
const TEXTS = ['confirmation', 'token', 'code', 'message'];

export async function sendPayment(
  details: PaymentDetails,
  providers: readonly PaymentProvider[],
  exchange: PaymentExchange,
): Promise<HttpReply> {
  const { provider: wanted } = details;
  const provider = wanted === undefined ? providers[0] : providers.find(({ name }) => name === wanted);
  if (!provider) return { ok: false, reason: 'refused', message: 'the configuration has no such provider of payments' };
  return paymentReply(await resultOf(details, provider, exchange), details.card);
}

function resultOf(details: PaymentDetails, provider: PaymentProvider, exchange: PaymentExchange) {
  switch (provider.adapter) {
    case 'generic':
      return payGeneric(details, provider, exchange);
    case 'stripe':
      return payWithStripe(details, provider, exchange);
    case 'simulated':
      return paySimulated(details);
  }
}

/** Returns the answer as it may be journalled. */
export function paymentReply(result: PaymentResult | NoAnswer, card: PaymentCard): HttpReply {
  if ('ok' in result) return result as NoAnswer;
  const body: JsonObject = { status: result.status };
  for (const name of TEXTS) {
    const text = ({ ...result } as JsonObject)[name];
    if (typeof text === 'string' && !revealsCard(text, card)) body[name] = text.slice(0, MAX_TEXT);
  }
  return { ok: true, status: 200, headers: {}, body };
}

/**
 * Providers may repeat what they were sent. Three digits of a security code are part of many texts by chance, so that
 * only a text that equals the code counts.
 */
function revealsCard(text: string, { number, securityCode }: PaymentCard): boolean {
  const digits = text.replaceAll(/[\s.-]/g, '');
  return digits.includes(number) || (securityCode !== undefined && text.trim() === securityCode);
}
