/**
 * Timers of one call: at most one deadline per step run, and guards against events that never arrive. Invariant: a
 * timer is set after its decision is committed, and counts from the time of that decision.
 */
import type { Timer } from '../../base/core/clock.ts';
import type { CallTransaction } from './call-transaction.ts';
import type { CallInput } from './journal.ts';

/** Timeout of a waiting step. */
export interface Deadline extends Timer {
  readonly number: number;
}

const NO_TIMERS: readonly CallTimer[] = [];

export class Deadlines {
  readonly #transaction: CallTransaction;
  #timers = NO_TIMERS;
  #count = 0;

  constructor(transaction: CallTransaction) {
    this.#transaction = transaction;
  }

  /** Posts the input `deadline` to the run `withinMs` from now, unless cancelled. */
  arm(stepRun: number, withinMs: number): Deadline {
    const number = ++this.#count;
    this.#transaction.append({ kind: 'timer', timer: number, visit: stepRun, afterMs: withinMs });
    return this.#schedule(number, withinMs, { type: 'deadline', timer: number });
  }

  /** Posts this input to the run later, unless cancelled. */
  guard(delayMs: number, input: CallInput): Timer {
    return this.#schedule(0, delayMs, input);
  }

  cancelAll(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = NO_TIMERS;
  }

  #schedule(number: number, delayMs: number, input: CallInput): Deadline {
    const transaction = this.#transaction;
    const dueMs = transaction.nowMs + delayMs;
    const timer = new CallTimer(number, this);
    transaction.onCommit(() => {
      if (timer.isCancelled) return;
      const { clock, ports, post } = transaction;
      const leftMs = dueMs - clock.nowMs - clock.elapsedMs;
      timer.set = ports.clock.after(Math.max(0, leftMs), () => post(input));
      // A copy of the exact size: a list that grows takes room for 17 timers.
      this.#timers = this.#timers.concat(timer);
    });
    return timer;
  }

  /** Forgets a cancelled timer. */
  remove(timer: CallTimer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}

class CallTimer implements Deadline {
  readonly number: number;
  readonly #deadlines: Deadlines;
  isCancelled = false;
  /** Set once the decision is committed. */
  set: Timer | undefined;

  constructor(number: number, deadlines: Deadlines) {
    this.number = number;
    this.#deadlines = deadlines;
  }

  cancel(): void {
    this.isCancelled = true;
    if (!this.set) return;
    this.set.cancel();
    this.#deadlines.remove(this);
  }
}
