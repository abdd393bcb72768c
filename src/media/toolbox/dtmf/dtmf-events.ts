/** Telephone-event codes 0–15 (RFC 4733 §3.2) and their keys. */
const KEYS = '0123456789*#ABCD';

/** Pause of a `w` in a sequence of digits. */
export const DIGIT_PAUSE_MS = 500;

export const digitOfEvent = (event: number): string | undefined => KEYS[event];

export function eventOfDigit(digit: string): number | undefined {
  const event = KEYS.indexOf(digit.toUpperCase());
  return event < 0 || digit.length !== 1 ? undefined : event;
}
