/**
 * Decides which numbers may be called back. A caller's number is what a stranger says it is, so that a call back could
 * be made to cost anything: without `allow`, a number of another country than those of the project's own numbers is not
 * called, and `callbacks.ts` keeps a few places for one range of numbers alone. Routes, caller ID and the do-not-call
 * list are asked as for every call.
 */
import { countryCodeOf, normalizeNumber } from '../../core/phone-number.ts';

/** Open places of a project for numbers that differ in their last digits alone: fraud dials ranges. */
export const MAX_OF_RANGE = 20;
const RANGE_DIGITS = 3;

/** `allow`: prefixes, such as `+33`. `own`: the numbers of the project. */
export function mayBeCalledBack(
  to: string,
  { allow, own }: { allow?: readonly string[]; own: readonly string[] },
): boolean {
  // The configuration decides where users and SIP URIs lead.
  if (/^(user|sips?):/i.test(to)) return true;
  const number = written(to);
  if (allow) return allow.some((prefix) => number.startsWith(written(prefix)));
  if (!number.startsWith('+')) return true;
  const countries = own.map(written).flatMap((each) => (each.startsWith('+') ? [countryCodeOf(each.slice(1))] : []));
  return countries.includes(countryCodeOf(number.slice(1)));
}

export const rangeOf = (to: string): string => normalizeNumber(to).slice(0, -RANGE_DIGITS);

/** With `+` where it is international, `00` included. */
function written(number: string): string {
  const digits = normalizeNumber(number);
  if (/^\s*(tel:)?\s*\+/i.test(number)) return `+${digits}`;
  return digits.startsWith('00') ? `+${digits.slice(2)}` : digits;
}
