/** Reports when a party starts and stops talking, by the level of its audio. */
import { decibelsOf } from '../../toolbox/voice/level.ts';
import { TalkDetector, WINDOW_MS } from '../../toolbox/voice/talk-detector.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { PcmTap } from './tapped-track.ts';

const WINDOW_SAMPLES = WINDOW_MS * SAMPLES_PER_MS;

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
    this.#detector.add(decibelsOf(this.#energy, WINDOW_SAMPLES));
    this.#energy = 0;
    this.#samples = 0;
    if (this.#detector.next()) this.#report(this.#detector.isTalking);
  }
}
