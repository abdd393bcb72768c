/** Digits of a caller who pays, and the response of a provider that accepts the payment. */
import type { JsonObject } from '../core/json.ts';

/** A test card of each type, with its security code. */
const CARDS: Readonly<Record<string, readonly [number: string, code: string]>> = {
  visa: ['4242424242424242', '123'],
  mastercard: ['5555555555554444', '123'],
  amex: ['378282246310005', '1234'],
  discover: ['6011111111111117', '123'],
  diners: ['30569309025904', '123'],
  jcb: ['3566002020360505', '123'],
  unionpay: ['6200000000000005#', '123'],
  maestro: ['6304000000000000#', '123'],
};
const EXPIRY = '1299';
const POSTAL_CODE = '1000#';

/** Digits for all questions of a step with these arguments, pressed without waiting for the prompts. */
export function keysOfPayment({ cards, security_code: asksForCode, postal_code: postalCode }: JsonObject): string {
  const kind = Array.isArray(cards) ? String(cards[0]) : 'visa';
  const [number, code] = CARDS[kind] ?? CARDS['visa']!;
  return [number, EXPIRY, asksForCode === false ? '' : code, postalCode === true ? POSTAL_CODE : ''].join('');
}

export const answerToPayment = ({ tokenize }: JsonObject): { status: 'paid' | 'tokenized'; [field: string]: string } =>
  tokenize === true ? { status: 'tokenized', token: 't1' } : { status: 'paid', confirmation: 'c1' };
