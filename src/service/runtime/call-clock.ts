/**
 * Time of one call. It starts from the wall clock when the call begins, and continues on the monotonic clock: readings
 * never decrease, and differences are durations, even if the wall clock is set during the call. The wall clock is read
 * as well, for the time of day.
 */
import type { Clock } from '../../base/core/clock.ts';

/** Maximum drift between the two clocks that does not indicate a change of the wall clock. */
const DRIFT_MS = 100;

export class CallClock {
  /** Time at which the current input was taken. */
  nowMs: number;
  /** The same time by the wall clock; equal to `nowMs` unless the wall clock was set. */
  wallMs: number;
  readonly #clock: Clock;
  /** Offset from the monotonic clock to the time of the call. */
  readonly #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.nowMs = this.wallMs = clock.now();
    this.#offsetMs = this.nowMs - clock.monotonicMs();
  }

  /** Reads the clocks; the time is constant until the next call. */
  advance(): void {
    this.nowMs = Math.round(this.#readMs());
    const wallMs = this.#clock.now();
    this.wallMs = Math.abs(wallMs - this.nowMs) <= DRIFT_MS ? this.nowMs : wallMs;
  }

  /** Time since the last `advance`. */
  get elapsedMs(): number {
    return this.#readMs() - this.nowMs;
  }

  #readMs(): number {
    return this.#clock.monotonicMs() + this.#offsetMs;
  }
}
