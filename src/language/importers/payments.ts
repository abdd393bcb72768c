/** Payments of NCCO, SWML and TwiML, taken by a provider of the configuration. Used by `ncco.ts` and `swml-methods.ts`. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { whole } from './source-views.ts';

/**
 * Prompts for the parts of a card, by their names in `pay`. `others` has the names of prompts without a counterpart.
 */
export interface PayPrompts {
  prompts: JsonObject;
  others: string[];
}

/** Maximum number of attempts for a question. */
export const MAX_ATTEMPTS = 20;

export const PARTS: Readonly<Record<string, string>> = {
  CardNumber: 'card_number',
  ExpirationDate: 'expiry',
  SecurityCode: 'security_code',
  'payment-card-number': 'card_number',
  'expiration-date': 'expiry',
  'security-code': 'security_code',
  'postal-code': 'postal_code',
};

/** `spoken` returns the text of a prompt of the source, or undefined if it is unknown. */
export function payPrompts(
  written: Json | undefined,
  key: 'type' | 'for',
  spoken: (prompt: JsonObject) => Json | undefined,
): PayPrompts {
  const prompts: JsonObject = {};
  const others: string[] = [];
  for (const prompt of [written ?? []].flat().filter(isObject)) {
    const name = String(prompt[key] ?? '');
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    const said = part === undefined ? undefined : spoken(prompt);
    if (part === undefined || said === undefined || prompts[part] !== undefined) {
      others.push(name.slice(0, 60) || 'something');
      whole(prompt);
    } else prompts[part] = said;
  }
  return { prompts, others };
}

/** Amount as a number or a template. Undefined if it is neither. */
export function amountOf(written: string): Json | undefined {
  const amount = Number(written);
  if (Number.isFinite(amount)) return amount > 0 ? amount : undefined;
  const template = /^\$\{\s*(.*?)\s*\}$/s.exec(written)?.[1];
  return template === undefined ? undefined : `\${ $number(${template}) }`;
}

export const currencyOf = (written: string | undefined): string | undefined => {
  const currency = (written ?? 'usd').toUpperCase();
  return /^[A-Z]{3}$/.test(currency) ? currency : undefined;
};
