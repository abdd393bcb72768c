/**
 * Reads an amount of money or another number that a caller keyed or said. Undefined if it is not a number, has more
 * decimals than its currency, or is outside of the accepted range.
 */
import { type HeardLanguage, heardLanguage, heardWords } from './heard-words.ts';

export interface AmountRules {
  /** Decimals of the currency. */
  decimals: number;
  /** ISO 4217 code. */
  currency?: string | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

const MAX_WHOLE_DIGITS = 9;
const SIGNS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£' };

/** Reads `12*50`: the star is the decimal point. */
export function amountFromKeys(typed: string, rules: AmountRules): number | undefined {
  const match = /^(\d*)(?:\*(\d*))?$/.exec(typed);
  if (!match || typed === '*' || (match[2] !== undefined && rules.decimals === 0)) return undefined;
  return checked(match[1]!, match[2] ?? '', rules);
}

export function amountFromWords(said: string, language: string, rules: AmountRules): number | undefined {
  const reader = heardLanguage(language);
  const units = reader ? unitsOf(reader, rules.currency) : { main: new Set<string>(), small: new Set<string>() };
  const skip = reader?.phrases.skip ?? [];
  const words = heardWords(said).filter((word) => !skip.includes(word) || units.main.has(word));
  const plain = words.filter((word) => !units.main.has(word) && word !== rules.currency?.toLowerCase());
  const [only] = plain;
  if (plain.length === 1 && only !== undefined && /^\d/.test(only)) {
    const parts = writtenParts(only);
    return parts && checked(parts.whole, parts.part, rules);
  }
  return reader && spokenAmount(words, reader, units, rules);
}

/** 1,234.50 and 1.234,50: the last mark is the decimal separator if one or two digits follow it. */
function writtenParts(text: string): { whole: string; part: string } | undefined {
  const match = /^(\d[\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(text);
  return match ? { whole: match[1]!.replace(/[.,]/g, ''), part: match[2] ?? '' } : undefined;
}

function checked(whole: string, part: string, { decimals, min = 0, max }: AmountRules): number | undefined {
  if (part.length > decimals || whole.length > MAX_WHOLE_DIGITS) return undefined;
  const value = Number(`${whole === '' ? '0' : whole}.${part === '' ? '0' : part}`);
  return value >= min && (max === undefined || value <= max) ? value : undefined;
}

interface Units {
  main: ReadonlySet<string>;
  small: ReadonlySet<string>;
}

/** Words for the units of a currency, or of all known ones. */
function unitsOf({ words }: HeardLanguage, currency: string | undefined): Units {
  const known = Object.entries(words.currencies).filter(([code]) => currency === undefined || code === currency);
  const [main, small] = [new Set<string>(), new Set<string>()];
  for (const [code, names] of known) {
    for (const name of names.slice(0, 2)) main.add(heardWords(name).join(''));
    for (const name of names.slice(2)) small.add(heardWords(name).join(''));
    if (SIGNS[code] !== undefined) main.add(SIGNS[code]);
    if (code === 'USD') for (const name of ['buck', 'bucks']) main.add(name);
  }
  return { main, small };
}

/** Twelve euros fifty, twelve fifty, twelve point five, fifty cents. */
function spokenAmount(
  words: readonly string[],
  reader: HeardLanguage,
  { main, small }: Units,
  rules: AmountRules,
): number | undefined {
  const { point, joins } = reader.phrases;
  const first = reader.number(words, 0);
  if (!first) return undefined;
  let at = first.words;
  if (small.has(words[at] ?? '') && at + 1 === words.length) return checked('', twoDigits(first.value), rules);
  if (main.has(words[at] ?? '')) at++;
  const isPoint = point.includes(words[at] ?? '');
  if (isPoint || joins.includes(words[at] ?? '')) at++;
  const whole = String(first.value);
  if (at === words.length) return isPoint ? undefined : checked(whole, '', rules);
  const rest = words.slice(at).filter((word) => !small.has(word) && !main.has(word));
  const part = isPoint ? decimalsIn(rest, reader) : centsIn(rest, reader);
  return part === undefined ? undefined : checked(whole, part, rules);
}

/** Digits after a decimal point, one by one or as a number: five zero, fifty. */
function decimalsIn(words: readonly string[], reader: HeardLanguage): string | undefined {
  let digits = '';
  for (let at = 0; at < words.length; ) {
    const next = reader.number(words, at);
    if (!next) return undefined;
    digits += String(next.value);
    at += next.words;
  }
  return digits === '' ? undefined : digits;
}

function centsIn(words: readonly string[], reader: HeardLanguage): string | undefined {
  const cents = reader.number(words, 0);
  return cents && cents.words === words.length && cents.value < 100 ? twoDigits(cents.value) : undefined;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
