/**
 * Limits the rate of digits. A key is held for 40 ms and released for as long (Q.24); anything faster for long is not a
 * person, and each digit costs a journal entry. Bursts are accepted, because networks delay packets.
 */
import type { Clock } from '../../core/clock.ts';

const PER_SECOND = 25;
const BURST = 75;

export class DigitPace {
  readonly #clock: Clock;
  #room = BURST;
  #atMs: number;
  #told = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.monotonicMs();
  }

  /** Whether one more may pass; `refused` is called for the first that may not. */
  takes(refused: () => void): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#room = Math.min(BURST, this.#room + (Math.max(0, nowMs - this.#atMs) * PER_SECOND) / 1000);
    this.#atMs = nowMs;
    if (this.#room >= 1) {
      this.#room -= 1;
      return true;
    }
    if (!this.#told) refused();
    this.#told = true;
    return false;
  }
}
