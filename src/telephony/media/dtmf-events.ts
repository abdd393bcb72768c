/** Telephone-event codes 0–15 (RFC 4733 §3.2) and the key of each; the RTP clock of audio and events. */
const KEYS = '0123456789*#ABCD';

export const SAMPLES_PER_MS = 8;

export const digitOfEvent = (event: number): string | undefined => KEYS[event];

export function eventOfDigit(digit: string): number | undefined {
  const event = KEYS.indexOf(digit.toUpperCase());
  return event < 0 || digit.length !== 1 ? undefined : event;
}
