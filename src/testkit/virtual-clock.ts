/**
 * A clock that stands still until it is told to move, and then stops at every deadline on the way.
 * Invariants: timers fire in order of deadline, then of setting; between two deadlines all promises settle, so that
 * a timer set by what just happened is honoured in its turn.
 */
import type { Clock, Timer } from '../core/clock.ts';

interface Pending {
  atMs: number;
  order: number;
  fire: () => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  /** Sorted, the next deadline last. */
  #pending: Pending[] = [];

  constructor(startMs: number = Date.parse('2026-03-02T08:30:00Z')) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    const timer: Pending = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, fire };
    let low = 0;
    let high = this.#pending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pending[middle]!.atMs > timer.atMs) low = middle + 1;
      else high = middle;
    }
    this.#pending.splice(low, 0, timer);
    return {
      cancel: () => {
        const index = this.#pending.indexOf(timer);
        if (index >= 0) this.#pending.splice(index, 1);
      },
    };
  }

  /** When the next timer fires; undefined when none is set. */
  get nextDeadlineMs(): number | undefined {
    return this.#pending.at(-1)?.atMs;
  }

  /** Number of timers that are set: a test that ends with any has leaked them. */
  get pendingTimers(): number {
    return this.#pending.length;
  }

  /** Lets everything that needs no time happen. */
  async settle(): Promise<void> {
    await turn();
  }

  /** Moves on by `ms`, deadline by deadline. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#nowMs + ms);
  }

  async advanceTo(targetMs: number): Promise<void> {
    await turn();
    for (let next = this.#pending.at(-1); next && next.atMs <= targetMs; next = this.#pending.at(-1)) {
      this.#pending.pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.fire();
      await turn();
    }
    this.#nowMs = Math.max(this.#nowMs, targetMs);
  }

  /** Moves to the next deadline; false when there is none before or at `limitMs`. */
  async advanceToNext(limitMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    await turn();
    const next = this.nextDeadlineMs;
    if (next === undefined || next > limitMs) return false;
    await this.advanceTo(next);
    return true;
  }
}
