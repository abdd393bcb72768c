/**
 * The timers of one call: at most one deadline per visit, and guards against what never comes.
 * Invariant: a timer is set after its decision is committed, and counts from when that decision was taken.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { CallClock } from './call-clock.ts';
import type { Decision } from './decision.ts';
import type { CallInput } from './journal.ts';
import type { StepRun } from './step-run.ts';

export class Deadlines {
  readonly #decision: Decision;
  readonly #clock: Clock;
  readonly #time: CallClock;
  readonly #post: (input: CallInput) => void;
  readonly #set = new Set<Timer>();
  #numbers = 0;

  constructor(decision: Decision, clock: Clock, time: CallClock, post: (input: CallInput) => void) {
    this.#decision = decision;
    this.#clock = clock;
    this.#time = time;
    this.#post = post;
  }

  /** Has `timeout` delivered to the visit, `withinMs` from now, unless disarmed. */
  arm(stepRun: StepRun, withinMs: number): void {
    const timer = ++this.#numbers;
    stepRun.timer = timer;
    this.#decision.append({ kind: 'timer', timer, visit: stepRun.number, afterMs: withinMs });
    const dueMs = this.#decision.nowMs + withinMs;
    this.#decision.onCommit(() => {
      if (stepRun.timer === timer) stepRun.deadline = this.#at(dueMs, { type: 'deadline', timer });
    });
  }

  disarm(stepRun: StepRun): void {
    if (stepRun.timer === undefined) return;
    stepRun.timer = undefined;
    if (!stepRun.deadline) return;
    this.#forget(stepRun.deadline);
    stepRun.deadline = undefined;
  }

  /** Gives the run this input later, unless the guard is cancelled. */
  guard(delayMs: number, input: CallInput): Timer {
    const dueMs = this.#decision.nowMs + delayMs;
    let isCancelled = false;
    let timer: Timer | undefined;
    this.#decision.onCommit(() => {
      if (isCancelled) return;
      timer = this.#at(dueMs, input);
    });
    return {
      cancel: () => {
        isCancelled = true;
        if (timer) this.#forget(timer);
      },
    };
  }

  cancelAll(): void {
    for (const timer of this.#set) timer.cancel();
    this.#set.clear();
  }

  #forget(timer: Timer): void {
    timer.cancel();
    this.#set.delete(timer);
  }

  #at(dueMs: number, input: CallInput): Timer {
    const leftMs = dueMs - this.#time.nowMs - this.#time.elapsedMs;
    const timer = this.#clock.after(Math.max(0, leftMs), () => this.#post(input));
    this.#set.add(timer);
    return timer;
  }
}
