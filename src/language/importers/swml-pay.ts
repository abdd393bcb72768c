/** SWML method `pay`. Uses `payments.ts`; used by `swml-methods.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, untranslated, worked } from './fidelity.ts';
import { wordsAt } from './json-verbs.ts';
import { amountOf, currencyOf, MAX_ATTEMPTS, payPrompts } from './payments.ts';
import { countAt, timeAt } from './source-numbers.ts';
import { passOver } from './source-views.ts';
import { localeOf, spoken } from './spoken.ts';
import type { Method, SwmlContext } from './swml-context.ts';
import { swmlText } from './swml-names.ts';
import { leavingUnit } from './swml-outputs.ts';

/** Card number, expiry date and security code have questions. */
const PROMPTS = 3;
const CARDS = ['visa', 'mastercard', 'amex', 'discover', 'jcb', 'maestro'];

export const pay: Method = (context, { fields }, node) => {
  const written = wordsAt(fields, 'charge_amount');
  const amount = written === undefined ? undefined : amountOf(swmlText(context, written));
  const currency = currencyOf(wordsAt(fields, 'currency'));
  if (currency === undefined || (written !== undefined && amount === undefined)) untranslated('take the payment');
  const language = localeOf(wordsAt(fields, 'language'));
  const { prompts, others } = payPrompts(fields['prompts'], 'for', (prompt) => phraseOf(context, prompt, language));
  if (others.length > 0) worked(node, `it says its own words for ${others.join(', ')}`.slice(0, 300));
  for (const key of ['parameters', 'min_postal_code_length']) lost(node, fields, key, `${key} is not kept`);
  if (language === undefined) passOver(fields, ['language']);
  else if (Object.keys(prompts).length < PROMPTS) worked(node, 'other questions are asked in the language of the call');
  if (fields['status_url'] !== undefined) noted(node, 'your project’s webhook is informed of it, not `status_url`');
  if (wordsAt(fields, 'voice') !== undefined) worked(node, 'the questions have the voice of the call');
  passOver(fields, ['payment_connector_url', 'payment_method', 'input', 'token_type']);
  noted(node, 'a provider of the configuration takes it, in place of the payment connector');
  const cards = wordsAt(fields, 'valid_card_types')
    ?.split(/\s+/)
    .filter((card) => CARDS.includes(card));
  const postalCode = fields['postal_code'];
  const description = wordsAt(fields, 'description');
  const step = defined<JsonObject>({
    ...(amount === undefined ? { tokenize: true } : { amount, currency }),
    description: description && swmlText(context, description),
    cards: cards && cards.length > 0 ? cards : undefined,
    security_code: String(fields['security_code']) === 'false' ? false : undefined,
    postal_code:
      typeof postalCode === 'string' && /^\d+$/.test(postalCode) ? postalCode : String(postalCode ?? true) !== 'false',
    prompts: Object.keys(prompts).length > 0 ? prompts : undefined,
    attempts: countAt(node, fields, 'max_attempts', { most: MAX_ATTEMPTS, otherwise: 1 }),
    start_timeout: timeAt(node, fields, 'timeout', { otherwise: '5s' }),
  });
  const went = (pay_result: string): JsonObject => ({ pay_result, return_value: pay_result });
  return leavingUnit(
    context,
    node,
    'pay',
    { pay: step },
    {
      paid: went('success'),
      declined: went('payment-connector-error'),
      cancelled: went('caller-interrupted-with-star'),
      exhausted: went('too-many-failed-attempts'),
      failed: went('payment-connector-error'),
    },
  );
};

/** Text of the prompt, if it consists of a single `Say`. */
function phraseOf(
  context: SwmlContext,
  { actions, attempts, card_type: card, error_type: error }: JsonObject,
  language: string | undefined,
): Json | undefined {
  const first = [actions ?? []].flat().filter(isObject);
  const phrase = first.length === 1 && first[0]!['type'] === 'Say' ? wordsAt(first[0]!, 'phrase') : undefined;
  const isForAll = attempts === undefined || /\b1\b/.test(String(attempts));
  if (phrase === undefined || !isForAll || card !== undefined || error !== undefined) return undefined;
  return spoken(swmlText(context, phrase), undefined, language);
}
