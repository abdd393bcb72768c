/**
 * Parses attribute values of SSML 1.1: durations (§3.2.3), rate, pitch and volume (§3.2.4). Relative changes are
 * factors, because voices have different defaults. Undefined if the value is invalid.
 */
import type { Voice } from '../../base/core/leg.ts';

const MAX_BREAK_MS = 10_000;
const STRENGTHS_MS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 100,
  weak: 250,
  medium: 500,
  strong: 750,
  'x-strong': 1000,
};
const RATES: Readonly<Record<string, number>> = {
  'x-slow': 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.3,
  'x-fast': 1.7,
};
const PITCHES: Readonly<Record<string, number>> = {
  'x-low': 0.75,
  low: 0.88,
  medium: 1,
  default: 1,
  high: 1.13,
  'x-high': 1.3,
};
/** Amplitude factors. */
const VOLUMES: Readonly<Record<string, number>> = {
  silent: 0,
  'x-soft': 0.25,
  soft: 0.5,
  medium: 1,
  default: 1,
  loud: 1.4,
  'x-loud': 2,
};
/** Reference for a pitch in Hertz: means of common voices. */
const USUAL_PITCH_HZ: Readonly<Record<Voice, number>> = { female: 180, male: 105 };
const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, ms: 1, us: 0.001, µs: 0.001 };
const MAX_GAIN = 4;

/** `500ms`, `1.5s`, `200us`. The unit is required unless `unitWhenNone` is given. */
export function offsetMs(written: string, unitWhenNone?: 's' | 'ms' | 'us'): number | undefined {
  const match = /^\+?(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\s*(ms|us|µs|s)?$/i.exec(written.trim());
  const unit = match?.[2]?.toLowerCase() ?? unitWhenNone;
  if (!match || unit === undefined) return undefined;
  return Math.min(MAX_BREAK_MS, Number(match[1]) * UNITS_MS[unit]!);
}

export function breakMs({
  time,
  strength,
}: {
  time?: string | undefined;
  strength?: string | undefined;
}): number | undefined {
  if (time !== undefined) return offsetMs(time);
  return named(STRENGTHS_MS, strength ?? 'medium');
}

/** Speed factor. `80%` is a share, `+10%` a change, `1.2` a factor. */
export function rateOf(written: string): number | undefined {
  return named(RATES, written) ?? within(share(written) ?? plain(written), 0.1, 10);
}

export function pitchOf(written: string, voice: Voice): number | undefined {
  const known = named(PITCHES, written) ?? within(share(written), 0.1, 10);
  if (known !== undefined) return known;
  const match = /^([+-]?)(\d{1,4}(?:\.\d{1,4})?)\s*(hz|st)$/i.exec(written.trim());
  if (!match) return undefined;
  const [, sign, digits, unit] = match;
  const amount = sign === '-' ? -Number(digits) : Number(digits);
  if (unit!.toLowerCase() === 'st') return within(2 ** (amount / 12), 0.1, 10);
  const usual = USUAL_PITCH_HZ[voice];
  return within(sign === '' ? amount / usual : (usual + amount) / usual, 0.1, 10);
}

/** Amplitude factor. `50%` is a share, `+6dB` and `-20%` are changes, `80` is out of 100 (SSML 1.0). */
export function volumeOf(written: string): number | undefined {
  const known = named(VOLUMES, written) ?? share(written);
  if (known !== undefined) return within(known, 0, MAX_GAIN);
  const decibels = /^([+-]?\d{1,3}(?:\.\d{1,3})?)\s*db$/i.exec(written.trim());
  if (decibels) return Math.min(MAX_GAIN, 10 ** (Number(decibels[1]) / 20));
  const ofHundred = plain(written);
  return ofHundred === undefined || ofHundred > 100 ? undefined : ofHundred / 100;
}

function named(table: Readonly<Record<string, number>>, word: string): number | undefined {
  const name = word.trim().toLowerCase();
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `80%` → 0.8, `+10%` → 1.1, `-10%` → 0.9 */
function share(written: string): number | undefined {
  const match = /^([+-]?)(\d{1,4}(?:\.\d{1,4})?)\s*%$/.exec(written.trim());
  if (!match) return undefined;
  const part = Number(match[2]) / 100;
  return match[1] === '' ? part : match[1] === '+' ? 1 + part : Math.max(0, 1 - part);
}

const plain = (written: string): number | undefined =>
  /^\d{1,4}(\.\d{1,4})?$/.test(written.trim()) ? Number(written) : undefined;

const within = (value: number | undefined, least: number, most: number): number | undefined =>
  value === undefined || value < least ? undefined : Math.min(most, value);
