/**
 * Which calls wait for a predecessor that fails, and since when: while a call is live its next event waits ten seconds,
 * no longer. One timer for each live call that has something waiting; calls that are over have none.
 */
import type { Clock, Timer } from '../../core/clock.ts';

const PATIENCE_MS = 10_000;

export interface PatienceParts {
  clock: Pick<Clock, 'now' | 'after'>;
  isLive(orderKey: string): boolean;
  /** The next event of this live call has waited long enough. */
  lost(orderKey: string): void;
}

export class Patience {
  readonly #parts: PatienceParts;
  readonly #timers = new Map<string, Timer>();

  constructor(parts: PatienceParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#timers.size;
  }

  /** The next of a line waits, and has done so since then. */
  begin(orderKey: string, sinceMs: number): void {
    const { clock, isLive, lost } = this.#parts;
    if (this.#timers.has(orderKey) || !isLive(orderKey)) return;
    // Also where somebody set the clock back.
    const leftMs = Math.min(PATIENCE_MS, Math.max(0, sinceMs + PATIENCE_MS - clock.now()));
    const timer = clock.after(leftMs, () => {
      this.#timers.delete(orderKey);
      if (isLive(orderKey)) lost(orderKey);
    });
    this.#timers.set(orderKey, timer);
  }

  /** It waits no longer. */
  end(orderKey: string): void {
    if (this.#timers.size === 0) return;
    this.#timers.get(orderKey)?.cancel();
    this.#timers.delete(orderKey);
  }

  close(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
