/**
 * The time of one call. It starts from the wall clock when the call begins, and continues by the monotonic clock: earlier
 * readings are smaller, and differences are durations, also when somebody sets the wall clock during the call. The wall
 * clock is read beside it, for the time of day.
 */
import type { Clock } from '../core/clock.ts';

/** How far the two clocks may drift apart although nobody has set the wall clock. */
const DRIFT_MS = 100;

export class CallClock {
  /** When the input that is being handled was taken. */
  nowMs: number;
  /** The same moment by the wall clock; equal to `nowMs` as long as nobody has set that. */
  wallMs: number;
  readonly #clock: Clock;
  /** From the monotonic clock to the time of the call. */
  readonly #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.nowMs = this.wallMs = clock.now();
    this.#offsetMs = this.nowMs - clock.monotonicMs();
  }

  /** Time stands still until it is taken again. */
  advance(): void {
    this.nowMs = Math.round(this.#readMs());
    const wallMs = this.#clock.now();
    this.wallMs = Math.abs(wallMs - this.nowMs) <= DRIFT_MS ? this.nowMs : wallMs;
  }

  /** Since it was taken. */
  get elapsedMs(): number {
    return this.#readMs() - this.nowMs;
  }

  #readMs(): number {
    return this.#clock.monotonicMs() + this.#offsetMs;
  }
}
