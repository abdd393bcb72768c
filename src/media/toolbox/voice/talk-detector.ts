/**
 * Detects talking from audio levels in windows of 100 ms: starts after 200 ms above the threshold, stops after 600 ms
 * below it.
 */

/** Length of one window. */
export const WINDOW_MS = 100;
const LOUD_DBOV = -45;
const LOUD_WINDOWS = 2;
const QUIET_WINDOWS = 6;
const SILENCE = -127;

export class TalkDetector {
  #loudest = SILENCE;
  #loud = 0;
  #quiet = 0;
  #isTalking = false;

  get isTalking(): boolean {
    return this.#isTalking;
  }

  add(level: number): void {
    if (level > this.#loudest) this.#loudest = level;
  }

  /** Ends a window. Returns true if the talking state changed. */
  next(): boolean {
    const isLoud = this.#loudest > LOUD_DBOV;
    this.#loudest = SILENCE;
    this.#loud = isLoud ? this.#loud + 1 : 0;
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    const was = this.#isTalking;
    this.#isTalking = was ? this.#quiet < QUIET_WINDOWS : this.#loud >= LOUD_WINDOWS;
    return was !== this.#isTalking;
  }
}
