/**
 * Detects speech by the level of 20 ms frames of 8 kHz linear PCM: enough to end a recording, but not a full voice
 * activity detector. Three consecutive loud frames start or resume speech, so that a click does not.
 */
import { SAMPLES_PER_MS } from '../audio/sample-rate.ts';
import { energyOf } from './level.ts';

/** About −40 dBov: above the noise of ordinary lines, below soft speech. */
const SPEECH_RMS = 330;
const SPEECH_FRAMES = 3;

export class SilenceDetector {
  #loudRun = 0;
  #begun = false;
  #quietMs = 0;
  #speechMs = 0;

  /** Duration of loud frames. */
  get speechMs(): number {
    return this.#speechMs;
  }

  /** Duration of silence since speech; 0 until speech has started. */
  get silenceAfterSpeechMs(): number {
    return this.#begun ? this.#quietMs : 0;
  }

  /** Processes the frame from `start` to `end`. */
  frame(samples: Int16Array, start: number, end: number): void {
    const frameMs = (end - start) / SAMPLES_PER_MS;
    this.#quietMs += frameMs;
    if (energyOf(samples, start, end) < SPEECH_RMS * SPEECH_RMS * (end - start)) {
      this.#loudRun = 0;
      return;
    }
    this.#speechMs += frameMs;
    if (++this.#loudRun < SPEECH_FRAMES) return;
    this.#begun = true;
    this.#quietMs = 0;
  }
}
