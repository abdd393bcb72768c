/**
 * Counts events by key within a window that starts with the first event. Memory is bounded: the oldest key is evicted
 * first.
 */
import type { Clock } from './clock.ts';

interface Window {
  untilMs: number;
  count: number;
}

export class WindowCounter {
  readonly #clock: Clock;
  readonly #whileMs: number;
  readonly #mostRemembered: number;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, options: { windowMs: number; maxKeys: number }) {
    this.#clock = clock;
    this.#whileMs = options.windowMs;
    this.#mostRemembered = options.maxKeys;
  }

  /** True if no event is counted. */
  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  count(key: string): number {
    const window = this.#windows.get(key);
    return window && window.untilMs > this.#clock.monotonicMs() ? window.count : 0;
  }

  /** Time until the events of the key expire, in ms. */
  msLeft(key: string): number {
    return Math.max(0, (this.#windows.get(key)?.untilMs ?? 0) - this.#clock.monotonicMs());
  }

  forget(isMeant: (key: string) => boolean): void {
    for (const key of this.#windows.keys()) if (isMeant(key)) this.#windows.delete(key);
  }

  add(key: string): void {
    if (this.count(key) > 0) {
      this.#windows.get(key)!.count++;
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#windows.delete(key);
    // All windows have the same length and are ordered by age, so expired ones are at the front.
    for (const [old, { untilMs }] of this.#windows) {
      if (untilMs > nowMs && this.#windows.size < this.#mostRemembered) break;
      this.#windows.delete(old);
    }
    this.#windows.set(key, { untilMs: nowMs + this.#whileMs, count: 1 });
  }
}
