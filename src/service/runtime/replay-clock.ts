import type { Clock, Timer } from '../../base/core/clock.ts';

/** Clock of a replay: shows the recorded times, and continues with the node's clock afterwards. */
export class ReplayClock implements Clock {
  #nowMs: number;
  #live: { clock: Clock; offsetMs: number } | undefined;
  /** Timers set during the replay. */
  readonly #waiting = new Map<object, { dueMs: number; fire(): void }>();
  readonly #timers = new Map<object, Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#live ? this.#live.clock.now() : this.#nowMs;
  }

  monotonicMs(): number {
    return this.#live ? this.#live.clock.monotonicMs() + this.#live.offsetMs : this.#nowMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    if (this.#live) return this.#live.clock.after(delayMs, fire);
    const key = {};
    this.#waiting.set(key, { dueMs: this.#nowMs + delayMs, fire });
    return {
      cancel: () => {
        this.#waiting.delete(key);
        this.#timers.get(key)?.cancel();
      },
    };
  }

  /** Time continued while no node carried the call: overdue timers fire at once. */
  goLive(clock: Clock): void {
    this.#live = { clock, offsetMs: Math.max(clock.now(), this.#nowMs) - clock.monotonicMs() };
    for (const [key, { dueMs, fire }] of [...this.#waiting].sort(([, one], [, other]) => one.dueMs - other.dueMs)) {
      this.#timers.set(key, clock.after(Math.max(0, dueMs - this.monotonicMs()), fire));
    }
    this.#waiting.clear();
  }
}
