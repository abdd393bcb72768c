/**
 * Detects speech by the level of 20 ms frames: enough to end a recording, but not a full voice activity detector. Three
 * consecutive loud frames start or resume speech, so that a click does not.
 */
import { FRAME_MS, FRAME_SAMPLES } from '../audio.ts';

/** About −40 dBov: above the noise of ordinary lines, below soft speech. */
const SPEECH_RMS = 330;
const SPEECH_FRAMES = 3;
const SPEECH_ENERGY = SPEECH_RMS * SPEECH_RMS * FRAME_SAMPLES;

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

  frame(samples: Int16Array, start: number): void {
    let energy = 0;
    for (let index = start; index < start + FRAME_SAMPLES; index++) energy += samples[index]! * samples[index]!;
    this.#quietMs += FRAME_MS;
    if (energy < SPEECH_ENERGY) {
      this.#loudRun = 0;
      return;
    }
    this.#speechMs += FRAME_MS;
    if (++this.#loudRun < SPEECH_FRAMES) return;
    this.#begun = true;
    this.#quietMs = 0;
  }
}
