/** Reports when a party starts and stops talking, by the level of its audio. */
import { TalkDetector, WINDOW_MS } from '../../core/talk-detector.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { PcmTap } from './tapped-track.ts';

const WINDOW_SAMPLES = WINDOW_MS * SAMPLES_PER_MS;
const FULL_SCALE = 32_768;

export class TalkTap implements PcmTap {
  readonly #detector = new TalkDetector();
  readonly #report: (on: boolean) => void;
  readonly #isMuted: () => boolean;
  #energy = 0;
  #samples = 0;

  constructor(report: (on: boolean) => void, isMuted: () => boolean) {
    this.#report = report;
    this.#isMuted = isMuted;
  }

  frame(pcm: Int16Array): void {
    const isMuted = this.#isMuted();
    for (let index = 0; index < pcm.length; index++) {
      if (!isMuted) this.#energy += pcm[index]! * pcm[index]!;
      if (++this.#samples === WINDOW_SAMPLES) this.#endWindow();
    }
  }

  #endWindow(): void {
    // Decibels below full scale; silence is infinitely below it.
    this.#detector.hear(10 * Math.log10(this.#energy / WINDOW_SAMPLES / FULL_SCALE ** 2));
    this.#energy = 0;
    this.#samples = 0;
    if (this.#detector.next()) this.#report(this.#detector.isTalking);
  }
}
