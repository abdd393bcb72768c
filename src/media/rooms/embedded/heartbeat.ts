/**
 * Liveness check of a child process: pings it every second, and reports it as silent after several unanswered pings.
 * Pings are counted instead of time, because answers queue up while this process is blocked itself.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';

const ASK_EVERY_MS = 1000;
const MAX_UNANSWERED = 4;
/** A starting process loads its library first. */
const MAX_WHILE_STARTING = 20;

export class Heartbeat {
  readonly #clock: Clock;
  readonly #ask: () => void;
  readonly #silent: () => void;
  #unanswered = 0;
  #most = MAX_WHILE_STARTING;
  #timer: Timer;

  constructor(parts: { clock: Clock; ask(): void; silent(): void }) {
    this.#clock = parts.clock;
    this.#ask = parts.ask;
    this.#silent = parts.silent;
    this.#timer = this.#next();
  }

  #next(): Timer {
    return this.#clock.after(ASK_EVERY_MS, () => {
      if (this.#unanswered >= this.#most) {
        this.#silent();
        return;
      }
      this.#unanswered++;
      this.#ask();
      this.#timer = this.#next();
    });
  }

  answered(): void {
    this.#unanswered = 0;
    this.#most = MAX_UNANSWERED;
  }

  stop(): void {
    this.#timer.cancel();
  }
}
