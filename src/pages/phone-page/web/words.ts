/** Texts for the caller: errors, and why a call ended. */
import type { DeviceProblem } from '../../../../client/devices.js';
import { t } from '../../shared/web/words/translate.ts';

const WITHOUT = t('You can call without one, and press keys.');

export const DEVICE_WORDS: Readonly<Record<DeviceProblem, string>> = {
  denied: t('The browser does not let this page use your microphone. Allow it beside the address, and call again.'),
  missing: `${t('No microphone was found.')} ${WITHOUT}`,
  busy: t('Another program uses your microphone. Close it, and call again.'),
  insecure: `${t('Browsers open a microphone only for pages with https.')} ${WITHOUT}`,
  failed: `${t('Your microphone cannot be opened.')} ${WITHOUT}`,
};

const ERROR_WORDS: Readonly<Record<string, string>> = {
  token_invalid: t('This link is not valid. Ask for a new one.'),
  token_expired: t('This link is too old: a call has to begin within two minutes. Ask for a new one.'),
  token_used: t('This link was used before: it makes one call. Ask for a new one.'),
  token_unchecked: t('This link cannot be checked at the moment. It is still good: try again in a few seconds.'),
  too_many_calls: t('Too many people are calling from their browsers. Try again a little later.'),
};

export const errorWords = (code: string, message: string): string =>
  ERROR_WORDS[code] ?? t('The call cannot be made: {message}.', { message });

const NOBODY = t('Nobody answered.');
const FULL = t('All lines are busy. Try again a little later.');

/** By Q.850 cause. */
const CAUSE_WORDS: Readonly<Record<number, string>> = {
  1: t('This number is not in use.'),
  17: t('The line is busy.'),
  18: NOBODY,
  19: NOBODY,
  20: t('Nobody can be reached at this number.'),
  21: t('The call was declined.'),
  34: FULL,
  42: FULL,
  102: t('The service cannot reach your browser. A firewall may be in the way.'),
};

export interface CallEnd {
  cause: number;
  by: 'far' | 'near' | 'network';
  why?: string;
}

/** Empty for a normal end, which the state of the phone says already. */
export function endWords({ cause, by, why }: CallEnd): string {
  if (by === 'far') return t('You hung up.');
  const words = CAUSE_WORDS[cause];
  if (words !== undefined) return words;
  if (why !== undefined) return t('The call was cut off: {why}.', { why });
  return cause === 16 ? '' : t('The call was cut off.');
}

export const DROPPED = t('The call was cut off: the service cannot be reached any more.');
export const UNREACHABLE = t('The service cannot be reached. Check your connection, and call again.');
export const INCOMPATIBLE = t('Your browser cannot make this call: it has no WebRTC.');

/** `0:07`, `12:30`, `1:02:03`. */
export function timeOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
