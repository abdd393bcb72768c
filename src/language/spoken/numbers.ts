/**
 * Numbers in words: integers, decimals, fractions, ordinals, money and digits. Undefined if the text is not of this
 * type.
 */
import { counted, type NumberWords } from './words.ts';

interface WrittenNumber {
  negative: boolean;
  /** Digits only, without leading zeros. */
  whole: string;
  /** Digits after the decimal separator. */
  part: string;
}

const MAX_DIGITS = 15;
const MAX_ORDINAL = 999_999;

/**
 * `1,234.56`, `1.234,56`, `1 234`, `1'234`: the last mark is the decimal separator; a single mark is interpreted by the
 * language.
 */
function readNumber(text: string, language: string): WrittenNumber | undefined {
  const match = /^([+\-−–]?)\s*(\d[\d.,'’\s]*|[.,]\d+)$/u.exec(text.trim());
  if (!match) return undefined;
  const negative = match[1] !== '' && match[1] !== '+';
  const marks = match[2]!.replace(/[\s'’]/g, '').replace(/[.,]$/, '');
  const at = decimalAt(marks, language);
  const front = at < 0 ? marks : marks.slice(0, at);
  // Groups of three digits, or of two as in India.
  if (/[.,]/.test(front) && !/^\d{1,3}(?:([.,])\d{2,3})(?:\1\d{2,3})*$/.test(front)) return undefined;
  const whole = front.replace(/[.,]/g, '').replace(/^0+(?=\d)/, '') || '0';
  const part = at < 0 ? '' : marks.slice(at + 1);
  if (/[.,]/.test(part) || whole.length + part.length > MAX_DIGITS) return undefined;
  return { negative, whole, part };
}

function decimalAt(marks: string, language: string): number {
  const last = Math.max(marks.lastIndexOf('.'), marks.lastIndexOf(','));
  if (last < 0) return -1;
  const mark = marks[last]!;
  const others = marks.slice(0, last);
  if (others.includes(mark)) return -1;
  if (/[.,]/.test(others)) return last;
  const groups = language.toLowerCase().startsWith('en') ? ',' : '.';
  return mark === groups && /^\d{1,3}$/.test(others) && marks.length - last === 4 ? -1 : last;
}

export function cardinal(text: string, words: NumberWords): string | undefined {
  const number = readNumber(text, words.language);
  return number && spokenNumber(number, words);
}

function spokenNumber({ negative, whole, part }: WrittenNumber, words: NumberWords): string {
  const sign = negative ? `${words.minus} ` : '';
  const behind = part === '' ? '' : ` ${words.point} ${spokenPart(part, words)}`;
  return `${sign}${words.cardinal(whole)}${behind}`;
}

/** In languages with a decimal comma, two decimals are read as a number; otherwise digits are read one by one. */
function spokenPart(part: string, words: NumberWords): string {
  const single = words.language === 'en' || words.language === 'de' || part.length > 2 || part.startsWith('0');
  return single ? digits(part, words) : words.cardinal(part);
}

export function digits(text: string, words: NumberWords): string {
  return [...text.replace(/\D/g, '')].map((digit) => words.cardinal(digit)).join(' ');
}

export function ordinal(text: string, words: NumberWords): string | undefined {
  const match = /^(\d{1,12})\s*(?:\.|st|nd|rd|th|º|ª|°|er|re|e|ème|eme)?$/i.exec(text.trim());
  const number = Number(match?.[1] ?? 0);
  if (number === 0) return undefined;
  return number > MAX_ORDINAL ? words.cardinal(String(number)) : words.ordinal(number);
}

/** `3/4`, `1 1/2`, `½`. */
export function fraction(text: string, words: NumberWords): string | undefined {
  const plain = text.normalize('NFKD').replaceAll('⁄', '/').trim();
  const mixed = /^(-?)(?:(\d{1,9})(?:\s+|\s*\+\s*))?(\d{1,9})\s*\/\s*(\d{1,6})$/.exec(separated(text) ?? plain);
  if (!mixed) return undefined;
  const [, sign, whole, above, below] = mixed;
  if (Number(below) === 0) return undefined;
  const part = spokenFraction(above!, below!, words);
  const front = whole === undefined ? '' : `${words.cardinal(whole)} ${words.and} `;
  return `${sign === '-' ? `${words.minus} ` : ''}${front}${part}`;
}

/** Inserts a space, because normalisation would turn `1½` into `11/2`. */
const separated = (text: string): string | undefined => {
  const match = /^(-?\d+)?\s*([¼-¾⅐-⅞])$/u.exec(text.trim());
  return match ? `${match[1] ?? ''} ${match[2]!.normalize('NFKD').replaceAll('⁄', '/')}`.trim() : undefined;
};

function spokenFraction(above: string, below: string, words: NumberWords): string {
  const many = Number(above) !== 1;
  const number = many ? words.cardinal(above) : words.oneBefore.masculine;
  const name = [words.half, words.third, words.quarter][Number(below) - 2];
  if (name) return `${number} ${name[many ? 1 : 0]}`;
  const large = Number(below) === 1 || Number(below) > 100;
  if (large) return `${words.cardinal(above)} ${words.over} ${words.cardinal(below)}`;
  return `${number} ${words.denominator(words.ordinal(Number(below)), many)}`;
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '₹': 'INR', '¥': 'JPY' };

/** `$12.50`, `12,50 €`, `EUR 12`, `-5 CHF`. Without a currency, only the number. */
export function currency(text: string, words: NumberWords): string | undefined {
  const match = /^([+\-−–]?)\s*(?:([€$£₹¥]|[A-Za-z]{3})\s*)?([+\-−–]?[\d.,'’\s]+?)\s*([€$£₹¥]|[A-Za-z]{3})?$/u.exec(
    text.trim(),
  );
  if (!match) return undefined;
  const sign = match[2] ?? match[4];
  const number = readNumber(`${match[1]}${match[3]}`, words.language);
  if (!number) return undefined;
  if (sign === undefined) return spokenNumber(number, words);
  const code = SIGNS[sign] ?? sign.toUpperCase();
  const units = Object.hasOwn(words.currencies, code) ? words.currencies[code] : undefined;
  if (!units) return `${spokenNumber(number, words)} ${nameOf(code, words.language)}`;
  if (number.part.length > 2) return `${spokenNumber(number, words)} ${units[1]}`;
  const cents = String(Number(number.part.padEnd(2, '0')));
  const parts = [
    ...(number.whole !== '0' || cents === '0' ? [counted(words, number.whole, units)] : []),
    ...(cents === '0' ? [] : [counted(words, cents, units.slice(2))]),
  ];
  return `${number.negative ? `${words.minus} ` : ''}${parts.join(` ${words.and} `)}`;
}

/** Name of a currency that is not in the word table. */
function nameOf(code: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'currency' }).of(code) ?? code;
  } catch {
    return code;
  }
}
