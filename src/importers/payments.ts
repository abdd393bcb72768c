/** Payments of NCCO and SWML: a provider of the configuration takes them. Neighbours: `ncco.ts`, `swml-methods.ts`. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';

/** What asks for the parts of a card, by our names; prompts of other things are named in `others`. */
export interface PayPrompts {
  prompts: JsonObject;
  others: string[];
}

const PARTS: Readonly<Record<string, string>> = {
  CardNumber: 'card_number',
  ExpirationDate: 'expiry',
  SecurityCode: 'security_code',
  'payment-card-number': 'card_number',
  'expiration-date': 'expiry',
  'security-code': 'security_code',
  'postal-code': 'postal_code',
};

/** `spoken`: what a prompt of the source says; undefined where it is not known. */
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
    if (part === undefined || said === undefined) others.push(name.slice(0, 60) || 'something');
    else prompts[part] ??= said;
  }
  return { prompts, others };
}

/** An amount as a number, or as the template that gives one; undefined: it is neither. */
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
