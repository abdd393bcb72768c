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

export class Deadlines {
  readonly #transaction: CallTransaction;
  readonly #timers = new Set<Timer>();
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
    this.#timers.clear();
  }

  #schedule(number: number, delayMs: number, input: CallInput): Deadline {
    const { clock, nowMs, ports, post } = this.#transaction;
    const dueMs = nowMs + delayMs;
    let isCancelled = false;
    let timer: Timer | undefined;
    this.#transaction.onCommit(() => {
      if (isCancelled) return;
      const leftMs = dueMs - clock.nowMs - clock.elapsedMs;
      timer = ports.clock.after(Math.max(0, leftMs), () => post(input));
      this.#timers.add(timer);
    });
    const cancel = (): void => {
      isCancelled = true;
      if (!timer) return;
      timer.cancel();
      this.#timers.delete(timer);
    };
    return { number, cancel };
  }
}
