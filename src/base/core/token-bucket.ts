/** Token bucket: allows a burst, then a rate per second. */
import type { Clock } from './clock.ts';

export class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #room: number;
  #atMs: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#room = burst;
    this.#atMs = clock.monotonicMs();
  }

  /** True if the bucket is in the state of a new one. */
  get isFull(): boolean {
    this.#fill();
    return this.#room === this.#burst;
  }

  get hasRoom(): boolean {
    this.#fill();
    return this.#room >= 1;
  }

  /** Time until a token is available, in ms; 0 if there is one. */
  get waitMs(): number {
    this.#fill();
    return Math.max(0, ((1 - this.#room) * 1000) / this.#perSecond);
  }

  /** Takes `count` tokens at once; more than the burst are never available. */
  take(count = 1): boolean {
    this.#fill();
    if (this.#room < count) return false;
    this.#room -= count;
    return true;
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#room = Math.min(this.#burst, this.#room + (Math.max(0, nowMs - this.#atMs) * this.#perSecond) / 1000);
    this.#atMs = nowMs;
  }
}
