/** Telephone-event codes 0–15 (RFC 4733 §3.2) and the key of each. */
const KEYS = '0123456789*#ABCD';

/** The pause of a `w` in a string of digits. */
export const DIGIT_PAUSE_MS = 500;

export const digitOfEvent = (event: number): string | undefined => KEYS[event];

export function eventOfDigit(digit: string): number | undefined {
  const event = KEYS.indexOf(digit.toUpperCase());
  return event < 0 || digit.length !== 1 ? undefined : event;
}
