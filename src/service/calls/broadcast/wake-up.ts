/** Timer for the next search of a broadcast for numbers: keeps the earliest requested time. */
import type { Clock, Timer } from '../../../base/core/clock.ts';

/** Maximum sleep before the time of day is checked again, because the clock may be set. */
const MAX_SLEEP_MS = 60_000;

export class WakeUp {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #next: { timer: Timer; atMs: number } | undefined;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get isSet(): boolean {
    return this.#next !== undefined;
  }

  at(thenMs: number): void {
    const nowMs = this.#clock.now();
    const atMs = Math.min(thenMs, nowMs + MAX_SLEEP_MS);
    if (this.#next && this.#next.atMs <= atMs) return;
    this.cancel();
    const timer = this.#clock.after(atMs - nowMs, () => {
      this.#next = undefined;
      this.#wake();
    });
    this.#next = { timer, atMs };
  }

  cancel(): void {
    this.#next?.timer.cancel();
    this.#next = undefined;
  }
}
