/** Spellings of phone numbers: removes the separators between their digits. */

/**
 * The national prefix in brackets after a country code, as in `+49 (0)30 123456`: it is dialled within the country
 * only. Not for Italy, whose numbers begin with their 0.
 */
const NATIONAL_PREFIX = /^(\s*(?:tel:)?\s*(?:\+|00)[\s.-]*(?!3[\s.-]*9\b)[1-9](?:[\s.-]*\d){0,2})[\s.-]*\(\s*0\s*\)/i;
/** Invisible characters such as direction marks, which are copied along from contacts and tables. */
export const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** Spaces, brackets, dots, and dashes of any kind. */
const MARKS = /[\s().\u2010-\u2015\u2212-]/g;

/** Removes separators and the national prefix in brackets; the plus and a leading `tel:` stay. */
export const withoutMarks = (number: string): string =>
  number.replace(INVISIBLE, '').replace(NATIONAL_PREFIX, '$1').replace(MARKS, '');

/** Normalises a phone number: the digits without separators, `tel:` and the plus. */
export const normalizeNumber = (number: string): string =>
  withoutMarks(number.replace(INVISIBLE, '').replace(/^\s*tel:/i, '')).replace(/^\+/, '');

/**
 * The number that a person has typed in any manner, without separators: `00` before a country code is a plus, and the
 * `(0)` after it is left out. A number without a country code keeps its digits. Undefined if it is not a number.
 */
export function typedNumber(typed: string): string | undefined {
  const number = withoutMarks(
    typed
      .replace(INVISIBLE, '')
      .replace(/^\s*tel:/i, '')
      .replaceAll('/', ' '),
  );
  return /^\+?\d+$/.test(number) ? number.replace(/^00(?=[1-9]\d{6})/, '+') : undefined;
}

/** The trunk prefix is not a part of the number, except in Italy. */
const KEEPS_TRUNK_PREFIX = ['39'];

/**
 * A number in international form, as a carrier of this country writes it: with `00`, or in national form with the
 * prefix `0`. Others, such as extensions, stay as they are.
 */
export function internationalNumber(number: string, country: string): string {
  const digits = normalizeNumber(number);
  if (/^\s*(tel:)?\s*\+/i.test(number) || !/^0\d{6,}$/.test(digits)) return number;
  if (digits.startsWith('00')) return `+${digits.slice(2)}`;
  return `+${country}${KEEPS_TRUNK_PREFIX.includes(country) ? digits : digits.slice(1)}`;
}

/** Lookup key of a number or an address, independent of its spelling. */
export const numberLookupKey = (phone: string): string => normalizeNumber(phone).toLowerCase();

/** Country codes of two digits (ITU-T E.164); 1 and 7 have one digit, all others three. */
const TWO_DIGITS = new Set(
  [20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 60, 61, 62]
    .concat([63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98])
    .map(String),
);

/** The country code of an international number, given as its digits. `1` covers all of North America. */
export function countryCodeOf(digits: string): string {
  if (/^[17]/.test(digits)) return digits[0]!;
  const two = digits.slice(0, 2);
  return TWO_DIGITS.has(two) ? two : digits.slice(0, 3);
}
