/** Reconnect timers of the participants of one session whose link is down. */
import type { Clock, Timer } from '../../base/core/clock.ts';

/** Time within which a participant whose link is down may reconnect. */
export const AWAY_MS = 30_000;
/** The same after their page was closed or reloaded. */
export const GONE_MS = 5000;

export class ReconnectGrace {
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the timer of a participant and replaces the one that is running. */
  start(id: string, withinMs: number, missed: () => void): void {
    this.end(id);
    this.#timers.set(id, this.#clock.after(withinMs, missed));
  }

  end(id: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }
}
