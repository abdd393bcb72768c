/** Keys whose events are kept back until somebody has said what he has to say first. */
import type { Clock, Timer } from '../../core/clock.ts';

/** A hold that its holder forgot, or a response that never leaves, must not keep events for ever. */
const LONGEST_HOLD_MS = 10_000;

export class Holds {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  readonly #timers = new Set<Timer>();
  readonly #ended: (orderKey: string) => void;

  /** `ended` is told when the last hold of a key is over. */
  constructor(clock: Clock, ended: (orderKey: string) => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  has(orderKey: string): boolean {
    return this.#counts.has(orderKey);
  }

  /** Until the returned function is called (once or more), ten seconds at most. */
  begin(orderKey: string): () => void {
    this.#counts.set(orderKey, (this.#counts.get(orderKey) ?? 0) + 1);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      timer.cancel();
      this.#timers.delete(timer);
      const left = this.#counts.get(orderKey)! - 1;
      if (left > 0) this.#counts.set(orderKey, left);
      else {
        this.#counts.delete(orderKey);
        this.#ended(orderKey);
      }
    };
    const timer = this.#clock.after(LONGEST_HOLD_MS, release);
    this.#timers.add(timer);
    return release;
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel();
  }
}
