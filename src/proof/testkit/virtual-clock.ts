/**
 * A clock that only advances on request, and stops at every deadline on the way.
 *
 * Invariants
 * - timers fire in order of deadline, then of creation;
 * - all promises settle between two deadlines, so that a timer set by the first one fires in its order;
 * - setting and cancelling a timer takes O(log n): a broadcast has tens of thousands of timers.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { Heap, type HeapItem } from './heap.ts';

/**
 * Wait between two deadlines: a `turn` of the event loop, in which streams and databases make progress as well, or only
 * `promises`, which takes a tenth of the time.
 */
export type Settling = 'turn' | 'promises';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A `nextTick` requested in a promise callback runs after all promises have settled. */
const promises = (): Promise<void> => new Promise(afterAll);
const afterAll = (resolve: () => void): void => process.nextTick(resolve);

/** Number of waits after which the event loop turns in any case, so that signals are handled. */
const TURN_EVERY = 4_096;

/** A Monday morning: default start time of tests. */
export const FIRST_MOMENT = '2026-03-02T08:30:00Z';

export class VirtualClock implements Clock {
  /** Monotonic: timers use it. */
  #nowMs: number;
  /** Offset of the wall clock, set manually. */
  #setMs = 0;
  #order = 0;
  #waits = 0;
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

  /** Sets the wall clock forward or back. No time passes, and timers are not affected. */
  setWallClock(byMs: number): void {
    this.#setMs += byMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    return new PendingTimer(this.#nowMs + Math.max(0, delayMs), this.#order++, fire, this.#pending);
  }

  /** Time of the next timer. Undefined if none is set. */
  get nextDeadlineMs(): number | undefined {
    const first = this.#pending.first;
    return first && first.atMs + this.#setMs;
  }

  /** Number of active timers: a test that ends with any has leaked them. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Lets everything happen that takes no time. */
  async settle(): Promise<void> {
    await this.#settled();
  }

  /** Advances by `ms`, deadline by deadline. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.now() + ms);
  }

  async advanceTo(targetMs: number): Promise<void> {
    await turn();
    const untilMs = targetMs - this.#setMs;
    await this.#fireUntil(untilMs);
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Advances to the next deadline. Returns false if there is none up to `limitMs`. */
  async advanceToNext(limitMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    await this.#settled();
    const next = this.nextDeadlineMs;
    if (next === undefined || next > limitMs) return false;
    await this.#fireUntil(next - this.#setMs);
    return true;
  }

  /** Advances from deadline to deadline while `goesOn` returns true. */
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
      await this.#settled();
    }
  }

  #settled(): Promise<void> {
    return this.#settling === 'turn' || ++this.#waits % TURN_EVERY === 0 ? turn() : promises();
  }
}

const always = (): boolean => true;

/** An active timer. */
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
