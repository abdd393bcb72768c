/**
 * Port for prompt audio. Implemented by `speech/` (files, text to speech, cache) and, with estimated durations and
 * without audio, by the test kit.
 */
import type { Fault } from '../../base/core/fault.ts';
import type { AudioItem } from '../../base/core/leg.ts';

export { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE_HZ, SAMPLES_PER_MS } from '../toolbox/audio/sample-rate.ts';

export interface AudioSource {
  /**
   * Returns the item as 8 kHz linear PCM. Rejects with an Error that has a `fault` (file missing or malformed, language
   * without a voice). The array is shared and must not be modified. `projectId`: project of the call, for fair
   * scheduling.
   */
  load(item: AudioItem, signal: AbortSignal, projectId?: string): Promise<Int16Array>;
  /**
   * Returns the same in chunks, the first as early as possible: long texts play while the rest is synthesised. Chunks
   * have any length; they are shared and must not be modified. Ends early, without an error, when `signal` aborts.
   */
  stream?(item: AudioItem, signal: AbortSignal, projectId?: string): AsyncIterable<Int16Array>;
  /** Returns the duration of the item in ms, estimated if it is unknown without synthesis. */
  durationMs(item: AudioItem): number;
}

export class AudioError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}
