/** Who talks, by levels of their sound in windows of 100 ms: loud for 200 ms; quiet for 600 ms. */

/** How long one window is. */
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

  hear(level: number): void {
    if (level > this.#loudest) this.#loudest = level;
  }

  /** Ends a window. True: that changed whether it talks. */
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
