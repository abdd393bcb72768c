/**
 * A rate limiter with fair shares: it decides whose turn it is to make a call. Limiters form a tree: broadcasts below their
 * project, projects below the service. Neighbour: `dialler.ts` asks `next`, and reports when a call begins (`take`) and
 * ends (`release`).
 *
 * Invariants
 *  - no limiter starts more calls per second, or has more calls at once, than it may; what was missed is not made up for
 *     beyond `BURST_MS`;
 *  P2 children of a limiter take turns, call by call;
 *  P3 children with work have equal shares of the calls at once. A child that has its share takes more only when no child
 *     below its share waits, and leaves a part (`RESERVE`) for those that are about to: a far end that never answers holds
 *     up its own broadcast only;
 *  - the work per call depends on the depth of the tree, not on the number of children: a child that cannot go on is put
 *     aside until something happens that may change that.
 */
import type { Clock, Timer } from '../../core/clock.ts';

/** What a late timer, or a new broadcast, may start at once. */
const BURST_MS = 100;
/** The part of the calls at once that children with a full share leave free. */
const RESERVE = 0.2;

export interface PaceLimits {
  callsPerSecond?: number;
  maxConcurrent?: number;
}

export class FairShareLimiter {
  /** Calls that go on. */
  liveCalls = 0;
  readonly #parent: FairShareLimiter | undefined;
  readonly #clock: Clock;
  readonly #gate: RateLimit | undefined;
  readonly #maxConcurrent: number;
  /** Only at the root: `next` may return a broadcast again. */
  readonly #onReady: (() => void) | undefined;
  /** Children that may go on, in the order of their turns. */
  readonly #ready = new Set<FairShareLimiter>();
  /** Children that have their share of the calls at once, and would take more. */
  readonly #full = new Set<FairShareLimiter>();
  /** Children with work. */
  #busyChildren = 0;
  #wants = false;
  #holds = 0;
  #openTimer: Timer | undefined;

  constructor(clock: Clock, limits: PaceLimits, above: FairShareLimiter | (() => void)) {
    this.#clock = clock;
    this.#gate = limits.callsPerSecond === undefined ? undefined : new RateLimit(limits.callsPerSecond);
    this.#maxConcurrent = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
    if (above instanceof FairShareLimiter) this.#parent = above;
    else this.#onReady = above;
  }

  /** Of a broadcast: whether it has numbers to dial now. */
  get hasWork(): boolean {
    return this.#wants;
  }

  set hasWork(wants: boolean) {
    if (wants === this.#wants) return;
    this.#wants = wants;
    if (wants) this.#join();
    else this.#withdraw();
  }

  /** Of a broadcast: it has its share as before, and no turn until whoever holds it lets go. */
  hold(): void {
    this.#holds++;
  }

  letGo(): void {
    if (--this.#holds === 0) this.#wake();
  }

  /** The broadcast whose turn it is. Undefined: none may dial now; the root calls `onReady` when that may have changed. */
  next(): FairShareLimiter | undefined {
    return this.#next(this.#maxConcurrent);
  }

  /** A call begins. */
  take(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) {
      limiter.liveCalls++;
      limiter.#gate?.pass(nowMs);
    }
  }

  /** A call is over. */
  release(): void {
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.liveCalls--;
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.#wake();
  }

  /** What was taken came to no call: it is as if it had not been taken. */
  giveBack(): void {
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.#reopen();
    this.release();
  }

  /** It is not needed any more. Live calls are still released. */
  close(): void {
    this.hasWork = false;
    this.#openTimer?.cancel();
    this.#openTimer = undefined;
  }

  /** `most`: how many calls its parent allows it now. */
  #next(most: number): FairShareLimiter | undefined {
    if (this.liveCalls >= Math.min(most, this.#maxConcurrent) || !this.#isOpen()) return undefined;
    if (this.#wants) return this.#holds > 0 ? undefined : this;
    return this.#nextChild(Math.min(most, this.#maxConcurrent));
  }

  /** A child that cannot go on is put aside until it is woken. */
  #nextChild(most: number): FairShareLimiter | undefined {
    const share = Math.ceil(most / Math.max(1, this.#busyChildren));
    for (const limiter of this.#ready) {
      this.#ready.delete(limiter);
      if (limiter.liveCalls >= share) {
        this.#full.add(limiter);
        continue;
      }
      const found = limiter.#next(share);
      if (!found) continue;
      // P2: behind the others.
      this.#ready.add(limiter);
      return found;
    }
    // P3
    const spare = most - this.liveCalls - (this.#busyChildren > 1 ? Math.ceil(most * RESERVE) : 0);
    if (spare <= 0) return undefined;
    for (const limiter of this.#full) {
      this.#full.delete(limiter);
      const found = limiter.#next(limiter.liveCalls + spare);
      if (!found) continue;
      this.#full.add(limiter);
      return found;
    }
    return undefined;
  }

  #reopen(): void {
    this.#gate?.giveBack();
    this.#openTimer?.cancel();
    this.#openTimer = undefined;
  }

  #isOpen(): boolean {
    const waitMs = this.#gate?.waitMs(this.#clock.monotonicMs()) ?? 0;
    if (waitMs === 0) return true;
    this.#openTimer ??= this.#clock.after(waitMs, () => {
      this.#openTimer = undefined;
      this.#wake();
    });
    return false;
  }

  get #hasDemand(): boolean {
    return this.#wants || this.#busyChildren > 0;
  }

  /** It may be able to go on again. */
  #wake(): void {
    if (!this.#hasDemand || this.#openTimer) return;
    const parent = this.#parent;
    if (parent) {
      parent.#full.delete(this);
      parent.#ready.add(this);
      parent.#wake();
    } else this.#onReady?.();
  }

  #join(): void {
    for (let limiter = this.#parent; limiter; limiter = limiter.#parent) if (++limiter.#busyChildren > 1) break;
    this.#wake();
  }

  #withdraw(): void {
    let limiter: FairShareLimiter = this;
    for (let parent = limiter.#parent; parent; parent = limiter.#parent) {
      parent.#ready.delete(limiter);
      parent.#full.delete(limiter);
      parent.#busyChildren--;
      // The shares of the others have grown.
      for (const other of parent.#full) other.#wake();
      parent.#wake();
      if (parent.#busyChildren > 0) return;
      limiter = parent;
    }
  }
}

/** Evenly spaced calls per second: the generic cell rate algorithm. */
class RateLimit {
  readonly #intervalMs: number;
  readonly #slackMs: number;
  /** When the next would pass if they came evenly. */
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#slackMs = Math.max(0, BURST_MS - this.#intervalMs);
  }

  /** 0: it is open. */
  waitMs(nowMs: number): number {
    // Later than a call that has just passed could make it: the clock was set back.
    this.#nextMs = Math.min(this.#nextMs, nowMs + this.#slackMs + this.#intervalMs);
    return Math.max(0, Math.ceil(this.#nextMs - this.#slackMs - nowMs));
  }

  pass(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs) + this.#intervalMs;
  }

  giveBack(): void {
    this.#nextMs -= this.#intervalMs;
  }
}
