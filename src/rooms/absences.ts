/** Those of a session whose link is down, and how long they may come back. */
import type { Clock, Timer } from '../core/clock.ts';

/** How long somebody whose link is down may come back. */
export const AWAY_MS = 30_000;
/** The same where their page was closed, or is loaded anew. */
export const GONE_MS = 5000;

export class Absences {
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on; what was there before is over. */
  begin(id: string, withinMs: number, missed: () => void): void {
    this.end(id);
    this.#timers.set(id, this.#clock.after(withinMs, missed));
  }

  end(id: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }
}
