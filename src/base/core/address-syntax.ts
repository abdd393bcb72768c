/**
 * Validates the syntax of destinations and caller IDs. Routability is checked in
 * `service/calls/numbers/routability.ts`.
 */
import { normalizeNumber } from './phone-number.ts';

const LONGEST = 256;
/** E.164 §6.2: an international number has fifteen digits at most. */
const MAX_INTERNATIONAL_DIGITS = 15;
const MAX_DIGITS = 32;

/** Returns the reason why a destination (a number, a SIP URI or `user:NAME`) is invalid; undefined if it is valid. */
export function destinationProblem(to: string): string | undefined {
  if (to.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/[\p{Cc}<>"]/u.test(to)) return 'has characters that no number has';
  if (/^user:/i.test(to)) {
    return /^user:[A-Za-z0-9_.+-]{1,64}$/i.test(to) ? undefined : 'must be user: and the name of a registered user';
  }
  if (/^sips?:/i.test(to)) {
    const isUri = /^sips?:([^\s@:]+(:[^\s@]*)?@)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?(;[^\s?]*)?$/i.test(to);
    return isUri ? undefined : 'must be a SIP URI such as sip:alice@phones.example';
  }
  const number = normalizeNumber(to.replace(/^tel:/i, ''));
  if (/^[^\s@]+@[^\s@]+$/.test(to)) return `is not a number; as a SIP URI it is sip:${to}`;
  if (!/^[0-9*#]+$/.test(number)) return 'must be a number, a SIP URI or user:NAME';
  const most = /^(tel:)?\s*\+/i.test(to) ? MAX_INTERNATIONAL_DIGITS : MAX_DIGITS;
  return number.length > most ? `has more than ${most} digits` : undefined;
}

/**
 * Returns the reason why a caller ID is invalid; undefined if it is valid. Letters are allowed, as in configured
 * numbers.
 */
export function callerIdProblem(from: string): string | undefined {
  return /^\+?[A-Za-z0-9_*#.() -]{1,64}$/.test(from) && normalizeNumber(from) !== '' ? undefined : 'must be a number';
}
