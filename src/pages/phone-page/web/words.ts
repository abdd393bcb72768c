/** Texts for the caller: errors, and why a call ended. */
import type { DeviceProblem } from '../../../../client/devices.js';

const WITHOUT = 'You can call without one, and press keys.';

export const DEVICE_WORDS: Readonly<Record<DeviceProblem, string>> = {
  denied: 'The browser does not let this page use your microphone. Allow it beside the address, and call again.',
  missing: `No microphone was found. ${WITHOUT}`,
  busy: 'Another program uses your microphone. Close it, and call again.',
  insecure: `Browsers open a microphone only for pages with https. ${WITHOUT}`,
  failed: `Your microphone cannot be opened. ${WITHOUT}`,
};

const ERROR_WORDS: Readonly<Record<string, string>> = {
  token_invalid: 'This link is not valid. Ask for a new one.',
  token_expired: 'This link is too old: a call has to begin within two minutes. Ask for a new one.',
  token_used: 'This link was used before: it makes one call. Ask for a new one.',
  token_unchecked: 'This link cannot be checked at the moment. It is still good: try again in a few seconds.',
  too_many_calls: 'Too many people are calling from their browsers. Try again a little later.',
};

export const errorWords = (code: string, message: string): string =>
  ERROR_WORDS[code] ?? `The call cannot be made: ${message}.`;

const NOBODY = 'Nobody answered.';
const FULL = 'All lines are busy. Try again a little later.';

/** By Q.850 cause. */
const CAUSE_WORDS: Readonly<Record<number, string>> = {
  1: 'This number is not in use.',
  17: 'The line is busy.',
  18: NOBODY,
  19: NOBODY,
  20: 'Nobody can be reached at this number.',
  21: 'The call was declined.',
  34: FULL,
  42: FULL,
  102: 'The service cannot reach your browser. A firewall may be in the way.',
};

export interface CallEnd {
  cause: number;
  by: 'far' | 'near' | 'network';
  why?: string;
}

/** Empty for a normal end, which the state of the phone says already. */
export function endWords({ cause, by, why }: CallEnd): string {
  if (by === 'far') return 'You hung up.';
  const words = CAUSE_WORDS[cause];
  if (words !== undefined) return words;
  if (why !== undefined) return `The call was cut off: ${why}.`;
  return cause === 16 ? '' : 'The call was cut off.';
}

export const DROPPED = 'The call was cut off: the service cannot be reached any more.';
export const UNREACHABLE = 'The service cannot be reached. Check your connection, and call again.';
export const INCOMPATIBLE = 'Your browser cannot make this call: it has no WebRTC.';

/** `0:07`, `12:30`, `1:02:03`. */
export function timeOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
