/**
 * Where engines get the sound of a prompt from. Implemented by `speech/` (files, text to speech, cache) and, with
 * estimated durations and no sound, by the test kit.
 */
import type { Fault } from '../core/fault.ts';
import type { AudioItem } from '../core/leg.ts';

export const SAMPLE_RATE_HZ = 8000;

export interface AudioSource {
  /**
   * The item as 8 kHz linear PCM. Rejects with an Error that carries a `fault` when it cannot be had
   * (file missing or malformed, language without a voice). The array is shared: never write to it.
   */
  load(item: AudioItem, signal: AbortSignal): Promise<Int16Array>;
  /**
   * The same in pieces, the first as soon as it can be had: long texts are heard while the rest is being made. Pieces are
   * of any length; they are shared: never write to them. Ends early, without an error, when `signal` aborts.
   */
  stream?(item: AudioItem, signal: AbortSignal): AsyncIterable<Int16Array>;
  /** How long the item lasts, in milliseconds, without making it where that can be told or estimated. */
  durationMs(item: AudioItem): number;
}

export class AudioError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}
