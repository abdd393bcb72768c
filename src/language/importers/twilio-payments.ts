/**
 * Arguments of `pay` for Twilio card payments: the TwiML verb `Pay` and the widget Capture Payments. Uses
 * `payments.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import { amountOf, currencyOf, MAX_ATTEMPTS } from './payments.ts';
import { countAt, timeAt } from './source-numbers.ts';

/** Payment settings of the source. Texts may be converted templates. */
export interface Payment {
  method?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
  description?: string | undefined;
  cards?: readonly string[] | undefined;
  securityCode?: string | undefined;
  postalCode?: string | undefined;
  /** View with the keys of the attempts and of the time for each answer. */
  from: object;
  attempts: string;
  timeout: string;
  prompts?: JsonObject;
}

const CARDS: Readonly<Record<string, string>> = {
  ...{ visa: 'visa', mastercard: 'mastercard', amex: 'amex', maestro: 'maestro', discover: 'discover', jcb: 'jcb' },
  'diners-club': 'diners',
};

/** Without an amount, the card is stored. */
export function payArgs(payment: Payment, node: ImportedNode): JsonObject {
  const { method, amount = '', currency, description, cards = [], prompts = {}, from, attempts, timeout } = payment;
  if (method !== undefined && !/^credit[-_]card$/i.test(method))
    untranslated(`take a payment by ${method.slice(0, 40)}`);
  noted(node, 'the configuration names a provider of payments (`payments`), which takes the place of the connector');
  const isStored = amount === '' || Number(amount) === 0;
  const known = cards.flatMap((card) => CARDS[card.toLowerCase()] ?? []);
  if (known.length < cards.length) worked(node, 'a card that we do not know is not among those that are accepted');
  return defined<JsonObject>({
    tokenize: isStored ? true : undefined,
    amount: isStored ? undefined : (amountOf(amount) ?? untranslated('charge an amount that is not a number')),
    currency: isStored ? undefined : (currencyOf(currency) ?? untranslated('charge in a currency that is not known')),
    prompts: Object.keys(prompts).length > 0 ? prompts : undefined,
    description: description || undefined,
    cards: known.length > 0 ? [...new Set(known)] : undefined,
    security_code: payment.securityCode === 'false' ? false : undefined,
    postal_code: postalCodeOf(payment.postalCode),
    attempts: countAt(node, from, attempts, { most: MAX_ATTEMPTS, otherwise: 2 }),
    start_timeout: timeAt(node, from, timeout, { otherwise: '5s' }),
  });
}

/** The postal code is requested unless the source disables it or provides one. */
const postalCodeOf = (written: string | undefined): Json | undefined => {
  if (written === 'false') return undefined;
  return written === undefined || written === '' || written === 'true' ? true : written;
};
