/**
 * Decides which numbers may be called back. A caller ID can be forged, so a callback could be directed to a premium
 * number: without `allow`, only numbers in the countries of the project's own numbers are called, and
 * `callback-limits.ts` limits the positions per range of numbers and per source. Routes, caller ID and the do-not-call list apply as to every call.
 */
import { countryCodeOf, normalizeNumber } from '../../../base/core/phone-number.ts';

const RANGE_DIGITS = 3;

/** `allow`: prefixes, such as `+33`. `own`: the numbers of the project. */
export function mayBeCalledBack(
  to: string,
  { allow, own }: { allow?: readonly string[]; own: readonly string[] },
): boolean {
  // Routing in the configuration decides about users and SIP URIs.
  if (/^(user|sips?):/i.test(to)) return true;
  const number = written(to);
  if (allow) return allow.some((prefix) => number.startsWith(written(prefix)));
  if (!number.startsWith('+')) return true;
  const countries = own.map(written).flatMap((each) => (each.startsWith('+') ? [countryCodeOf(each.slice(1))] : []));
  return countries.includes(countryCodeOf(number.slice(1)));
}

export const rangeOf = (to: string): string => normalizeNumber(to).slice(0, -RANGE_DIGITS);

/** Digits, with `+` for an international number, also if it was written with `00`. */
function written(number: string): string {
  const digits = normalizeNumber(number);
  if (/^\s*(tel:)?\s*\+/i.test(number)) return `+${digits}`;
  return digits.startsWith('00') ? `+${digits.slice(2)}` : digits;
}
