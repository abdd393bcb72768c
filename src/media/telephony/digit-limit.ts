/**
 * Limits the rate of digits from a far end: a key is held for 40 ms and released for as long (Q.24). A higher rate over
 * a longer time does not come from a person, and each digit costs a journal entry. Bursts are accepted, because
 * networks delay packets.
 */
import type { Clock } from '../../base/core/clock.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';

const DIGITS_PER_SECOND = 25;
const DIGIT_BURST = 75;

export class DigitLimit {
  readonly #bucket: TokenBucket;
  readonly #dropped: () => void;
  #hasDropped = false;

  /** `dropped` is called for the first digit that is not counted. */
  constructor(clock: Clock, dropped: () => void) {
    this.#bucket = new TokenBucket(clock, DIGITS_PER_SECOND, DIGIT_BURST);
    this.#dropped = dropped;
  }

  take(): boolean {
    const isTaken = this.#bucket.take();
    if (!isTaken && !this.#hasDropped) {
      this.#hasDropped = true;
      this.#dropped();
    }
    return isTaken;
  }
}
