/**
 * A clock that moves only when a test advances it, and then stops at every deadline on the way.
 * Invariants
 *  - timers fire in order of deadline, then of setting;
 *  - between two deadlines all promises settle, so that a timer set by the first one is fired in its order;
 *  - setting and cancelling a timer takes O(log n): a broadcast has tens of thousands of timers.
 */
import type { Clock, Timer } from '../core/clock.ts';
import { Heap, type HeapItem } from './heap.ts';

/**
 * What to wait for between two deadlines: a `turn` of the event loop, in which streams and databases make progress too, or
 * only `promises`, which takes a tenth of the time and is enough if nothing else is waited for.
 */
export type Settling = 'turn' | 'promises';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `nextTick` called from a promise comes after all promises have settled. */
const promises = (): Promise<void> => new Promise(afterAll);
const afterAll = (resolve: () => void): void => process.nextTick(resolve);

/** The event loop turns after this many deadlines in any case, so that signals are noticed. */
const TURN_EVERY = 4_096;

/** A Monday morning: the first moment of tests that say nothing else. */
export const FIRST_MOMENT = '2026-03-02T08:30:00Z';

export class VirtualClock implements Clock {
  /** Monotonic: timers use it. */
  #nowMs: number;
  /** How far the wall clock was set forward, by hand. */
  #setMs = 0;
  #order = 0;
  #fired = 0;
  readonly #pending = new Heap<PendingTimer>();
  readonly #settling: Settling;

  constructor(startMs: number = Date.parse(FIRST_MOMENT), settling: Settling = 'turn') {
    this.#nowMs = startMs;
    this.#settling = settling;
  }

  now(): number {
    return this.#nowMs + this.#setMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** Sets the wall clock forward or back: no time passes, and no timer is affected. */
  setWallClock(byMs: number): void {
    this.#setMs += byMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    return new PendingTimer(this.#nowMs + Math.max(0, delayMs), this.#order++, fire, this.#pending);
  }

  /** When the next timer fires; undefined when none is set. */
  get nextDeadlineMs(): number | undefined {
    const first = this.#pending.first;
    return first && first.atMs + this.#setMs;
  }

  /** How many timers are set: a test that ends with any has leaked them. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Lets everything happen that takes no time. */
  async settle(): Promise<void> {
    await turn();
  }

  /** Moves on by `ms`, deadline by deadline. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.now() + ms);
  }

  async advanceTo(targetMs: number): Promise<void> {
    await turn();
    const untilMs = targetMs - this.#setMs;
    await this.#fireUntil(untilMs);
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Moves to the next deadline; false when there is none before or at `limitMs`. */
  async advanceToNext(limitMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    await turn();
    const next = this.nextDeadlineMs;
    if (next === undefined || next > limitMs) return false;
    await this.#fireUntil(next - this.#setMs);
    return true;
  }

  /** Moves from deadline to deadline as long as there is one and `goesOn`. */
  async advanceWhile(goesOn: () => boolean): Promise<void> {
    await turn();
    await this.#fireUntil(Number.POSITIVE_INFINITY, goesOn);
  }

  async #fireUntil(targetMs: number, goesOn: () => boolean = always): Promise<void> {
    const pending = this.#pending;
    for (let next = pending.first; next && next.atMs <= targetMs && goesOn(); next = pending.first) {
      next.cancel();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.fire();
      await (this.#settling === 'turn' || ++this.#fired % TURN_EVERY === 0 ? turn() : promises());
    }
  }
}

const always = (): boolean => true;

/** A timer that is set. */
class PendingTimer implements Timer, HeapItem<PendingTimer> {
  readonly atMs: number;
  readonly order: number;
  readonly fire: () => void;
  index = -1;
  readonly #heap: Heap<PendingTimer>;

  constructor(atMs: number, order: number, fire: () => void, heap: Heap<PendingTimer>) {
    this.atMs = atMs;
    this.order = order;
    this.fire = fire;
    this.#heap = heap;
    heap.add(this);
  }

  cancel(): void {
    this.#heap.remove(this);
  }

  isBefore(other: PendingTimer): boolean {
    return this.atMs < other.atMs || (this.atMs === other.atMs && this.order < other.order);
  }
}
