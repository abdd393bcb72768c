/**
 * The time of one call. It begins with what the wall clock said when the call began, and goes on by a clock that nobody
 * sets: what was read earlier is earlier, and differences are durations, also when somebody sets the wall clock during
 * the call. What the wall clock says is kept beside it, for whoever tells or asks the time of day.
 */
import type { Clock } from '../core/clock.ts';

/** What two clocks that nobody has set may come apart by. */
const DRIFT_MS = 100;

export class CallClock {
  /** When the input that is being handled was taken. */
  nowMs: number;
  /** The same moment by the wall clock; `nowMs` as long as nobody has set that. */
  wallMs: number;
  readonly #clock: Clock;
  /** What to add to the clock that nobody sets. */
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
