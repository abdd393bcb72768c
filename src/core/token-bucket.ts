/** A token bucket: a burst at once, then a rate per second. */
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

  /** Equals a new bucket. */
  get isFull(): boolean {
    this.#fill();
    return this.#room === this.#burst;
  }

  get hasRoom(): boolean {
    this.#fill();
    return this.#room >= 1;
  }

  /** Until there is room: 0 where there is some. */
  get waitMs(): number {
    this.#fill();
    return Math.max(0, ((1 - this.#room) * 1000) / this.#perSecond);
  }

  /** `count`: how many at once; more than the burst never fit. */
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
