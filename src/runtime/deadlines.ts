/**
 * The timers of one call: at most one deadline per visit, and guards against what never comes.
 * Invariant: a timer is set after its decision is committed, and counts from when that decision was taken.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { CallTime } from './call-time.ts';
import type { Decision } from './decision.ts';
import type { RunInput } from './journal.ts';
import type { Visit } from './visit.ts';

export class Deadlines {
  readonly #decision: Decision;
  readonly #clock: Clock;
  readonly #time: CallTime;
  readonly #post: (input: RunInput) => void;
  readonly #set = new Set<Timer>();
  #numbers = 0;

  constructor(decision: Decision, clock: Clock, time: CallTime, post: (input: RunInput) => void) {
    this.#decision = decision;
    this.#clock = clock;
    this.#time = time;
    this.#post = post;
  }

  /** Has `timeout` delivered to the visit, `withinMs` from now, unless disarmed. */
  arm(visit: Visit, withinMs: number): void {
    const timer = ++this.#numbers;
    visit.timer = timer;
    this.#decision.note({ kind: 'timer', timer, visit: visit.number, afterMs: withinMs });
    const dueMs = this.#decision.nowMs + withinMs;
    this.#decision.effect(() => {
      if (visit.timer === timer) visit.deadline = this.#at(dueMs, { type: 'deadline', timer });
    });
  }

  disarm(visit: Visit): void {
    if (visit.timer === undefined) return;
    visit.timer = undefined;
    if (!visit.deadline) return;
    this.#forget(visit.deadline);
    visit.deadline = undefined;
  }

  /** Gives the run this input later, unless the guard is cancelled. */
  guard(delayMs: number, input: RunInput): Timer {
    const dueMs = this.#decision.nowMs + delayMs;
    let isCancelled = false;
    let timer: Timer | undefined;
    this.#decision.effect(() => {
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

  #at(dueMs: number, input: RunInput): Timer {
    const leftMs = dueMs - this.#time.nowMs - this.#time.passedMs;
    const timer = this.#clock.after(Math.max(0, leftMs), () => this.#post(input));
    this.#set.add(timer);
    return timer;
  }
}
