/**
 * The timers of one call: at most one deadline per visit, and guards against what never comes.
 * Invariant: a timer is set after its decision is committed, and counts from when that decision was taken.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { Decision } from './decision.ts';
import type { RunInput } from './journal.ts';
import type { Visit } from './visit.ts';

export class Deadlines {
  readonly #decision: Decision;
  readonly #clock: Clock;
  readonly #post: (input: RunInput) => void;
  readonly #ofVisits = new Map<number, Timer>();
  readonly #guards = new Set<Timer>();
  #numbers = 0;

  constructor(decision: Decision, clock: Clock, post: (input: RunInput) => void) {
    this.#decision = decision;
    this.#clock = clock;
    this.#post = post;
  }

  /** Has `timeout` delivered to the visit, `withinMs` from now, unless disarmed. */
  arm(visit: Visit, withinMs: number): void {
    const timer = ++this.#numbers;
    visit.timer = timer;
    this.#decision.note({ kind: 'timer', timer, visit: visit.number, afterMs: withinMs });
    const dueMs = this.#decision.nowMs + withinMs;
    this.#decision.effect(() => {
      if (visit.timer === timer) this.#ofVisits.set(timer, this.#at(dueMs, { type: 'deadline', timer }));
    });
  }

  disarm(visit: Visit): void {
    if (visit.timer === undefined) return;
    this.#ofVisits.get(visit.timer)?.cancel();
    this.#ofVisits.delete(visit.timer);
    visit.timer = undefined;
  }

  /** Gives the run this input later, unless the guard is cancelled. */
  guard(delayMs: number, input: RunInput): Timer {
    const dueMs = this.#decision.nowMs + delayMs;
    let isCancelled = false;
    let timer: Timer | undefined;
    this.#decision.effect(() => {
      if (isCancelled) return;
      timer = this.#at(dueMs, input);
      this.#guards.add(timer);
    });
    return {
      cancel: () => {
        isCancelled = true;
        if (!timer) return;
        timer.cancel();
        this.#guards.delete(timer);
      },
    };
  }

  cancelAll(): void {
    for (const timer of [...this.#ofVisits.values(), ...this.#guards]) timer.cancel();
    this.#ofVisits.clear();
    this.#guards.clear();
  }

  #at(dueMs: number, input: RunInput): Timer {
    return this.#clock.after(dueMs - this.#clock.now(), () => this.#post(input));
  }
}
