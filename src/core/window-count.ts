/**
 * Counts what somebody does within a while that begins with the first of it. Memory is bounded: who is counted longest
 * is forgotten first.
 */
import type { Clock } from './clock.ts';

interface Window {
  untilMs: number;
  count: number;
}

export class WindowCount {
  readonly #clock: Clock;
  readonly #whileMs: number;
  readonly #mostRemembered: number;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, options: { whileMs: number; mostRemembered: number }) {
    this.#clock = clock;
    this.#whileMs = options.whileMs;
    this.#mostRemembered = options.mostRemembered;
  }

  /** Nobody is counted. */
  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  of(key: string): number {
    const window = this.#windows.get(key);
    return window && window.untilMs > this.#clock.monotonicMs() ? window.count : 0;
  }

  add(key: string): void {
    if (this.of(key) > 0) {
      this.#windows.get(key)!.count++;
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#windows.delete(key);
    // Oldest first, and all last equally long: those that are over are at the front.
    for (const [old, { untilMs }] of this.#windows) {
      if (untilMs > nowMs && this.#windows.size < this.#mostRemembered) break;
      this.#windows.delete(old);
    }
    this.#windows.set(key, { untilMs: nowMs + this.#whileMs, count: 1 });
  }
}
