/** Cuts recorded sound, and measures it for display. Pure; used by `sound-recorder.tsx`. */

/** Part of a sound, in ms. */
export interface Cut {
  fromMs: number;
  toMs: number;
}

export interface RecordedSound {
  /** From -1 to 1. */
  samples: Float32Array<ArrayBuffer>;
  rateHz: number;
}

/** Shortest part that can remain. */
export const MIN_CUT_MS = 100;
/** Sound below this level counts as silence: about -40 dBFS. */
const SILENCE = 0.01;
/** Silence that remains before and after the words, so that they are not clipped. */
const MARGIN_MS = 150;
const WINDOW_MS = 20;

export const lengthOf = ({ samples, rateHz }: RecordedSound): number => (samples.length / rateHz) * 1000;

/** The part from the first to the last words. The whole sound if all of it is silent. */
export function spokenPart(sound: RecordedSound): Cut {
  const lengthMs = lengthOf(sound);
  const loud = peaksOf(sound, Math.max(1, Math.round(lengthMs / WINDOW_MS))).map((peak) => peak >= SILENCE);
  const first = loud.indexOf(true);
  if (first < 0) return { fromMs: 0, toMs: lengthMs };
  const windowMs = lengthMs / loud.length;
  return {
    fromMs: Math.max(0, first * windowMs - MARGIN_MS),
    toMs: Math.min(lengthMs, (loud.lastIndexOf(true) + 1) * windowMs + MARGIN_MS),
  };
}

/** Moves the beginning or the end, within the sound and with at least `MIN_CUT_MS` between them. */
export function moved(cut: Cut, end: keyof Cut, toMs: number, lengthMs: number): Cut {
  return end === 'fromMs'
    ? { ...cut, fromMs: Math.max(0, Math.min(toMs, cut.toMs - MIN_CUT_MS)) }
    : { ...cut, toMs: Math.min(lengthMs, Math.max(toMs, cut.fromMs + MIN_CUT_MS)) };
}

export function cutOut({ samples, rateHz }: RecordedSound, { fromMs, toMs }: Cut): Float32Array<ArrayBuffer> {
  const at = (ms: number): number => Math.round((ms / 1000) * rateHz);
  return samples.slice(at(fromMs), at(toMs));
}

/** Largest sample of each of `count` equal parts, from 0 to 1. */
export function peaksOf({ samples }: Pick<RecordedSound, 'samples'>, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * samples.length) / count);
    const to = Math.max(from + 1, Math.floor(((index + 1) * samples.length) / count));
    let peak = 0;
    for (let at = from; at < to && at < samples.length; at++) peak = Math.max(peak, Math.abs(samples[at]!));
    return Math.min(1, peak);
  });
}

const QUIETEST_DB = -60;

/** Level of a moment for a meter: 0 for -60 dBFS and below, 1 for full scale. */
export function levelOf(samples: Float32Array): number {
  const square = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  const db = 10 * Math.log10(square);
  return Math.max(0, Math.min(1, 1 - db / QUIETEST_DB));
}

/** `0:04.5` */
export function clockWords(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`;
}
