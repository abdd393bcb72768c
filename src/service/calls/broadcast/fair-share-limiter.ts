/**
 * A rate limiter with fair shares: it decides which broadcast may make the next call. Limiters form a tree: broadcasts
 * below their project, projects below the service. Neighbour: `dialler.ts` calls `next`, and reports the start (`take`)
 * and the end (`release`) of each call.
 *
 * Invariants
 *  - No limiter exceeds its calls per second or its concurrent calls. Missed calls are made up for by at most
 *    `BURST_MS`.
 *  P2 The children of a limiter take turns, call by call.
 *  P3 Children with work have equal shares of the concurrent calls. A child that has reached its share gets more only
 *     if no child below its share waits, and leaves a reserve (`RESERVE`) for new ones: a far end that never answers
 *     delays only its own broadcast.
 *  - The work per call depends on the depth of the tree, not on the number of children: a blocked child is skipped
 *    until an event may unblock it.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';

/** Burst that a late timer or a new broadcast may start at once, in ms of its rate. */
const BURST_MS = 100;
/** Fraction of the concurrent calls that children with a full share leave free. */
const RESERVE = 0.2;

export interface PaceLimits {
  callsPerSecond?: number;
  maxConcurrent?: number;
}

export class FairShareLimiter {
  liveCalls = 0;
  readonly #parent: FairShareLimiter | undefined;
  readonly #clock: Clock;
  readonly #gate: RateLimit | undefined;
  readonly #maxConcurrent: number;
  /** Set at the root only: called when `next` may return a broadcast again. */
  readonly #onReady: (() => void) | undefined;
  /** Children that may dial, in the order of their turns. */
  readonly #ready = new Set<FairShareLimiter>();
  /** Children that have reached their share of the concurrent calls and have more work. */
  readonly #full = new Set<FairShareLimiter>();
  /** Count of children with work. */
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

  /** True if the broadcast has numbers to dial now. */
  get hasWork(): boolean {
    return this.#wants;
  }

  set hasWork(wants: boolean) {
    if (wants === this.#wants) return;
    this.#wants = wants;
    if (wants) this.#join();
    else this.#withdraw();
  }

  /** Keeps the share of the broadcast, but gives it no turn until every hold is released by `letGo`. */
  hold(): void {
    this.#holds++;
  }

  letGo(): void {
    if (--this.#holds === 0) this.#wake();
  }

  /**
   * The broadcast whose turn it is. Undefined if none may dial now; the root calls `onReady` when that may have
   * changed.
   */
  next(): FairShareLimiter | undefined {
    return this.#next(this.#maxConcurrent);
  }

  /** Counts the start of a call. */
  take(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) {
      limiter.liveCalls++;
      limiter.#gate?.pass(nowMs);
    }
  }

  /** Counts the end of a call. */
  release(): void {
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.liveCalls--;
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.#wake();
  }

  /** Undoes `take`, because no call was made. */
  giveBack(): void {
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.#reopen();
    this.release();
  }

  /** Closes an unused limiter. Live calls are still released. */
  close(): void {
    this.hasWork = false;
    this.#openTimer?.cancel();
    this.#openTimer = undefined;
  }

  /** `most`: concurrent calls that the parent allows now. */
  #next(most: number): FairShareLimiter | undefined {
    if (this.liveCalls >= Math.min(most, this.#maxConcurrent) || !this.#isOpen()) return undefined;
    if (this.#wants) return this.#holds > 0 ? undefined : this;
    return this.#nextChild(Math.min(most, this.#maxConcurrent));
  }

  /** Skips a child that cannot dial until it is woken. */
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
      // P2: at the end of the order.
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

  /** Capacity may be free again: signals demand to the parent. */
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
      // The shares of the other children have grown.
      for (const other of parent.#full) other.#wake();
      parent.#wake();
      if (parent.#busyChildren > 0) return;
      limiter = parent;
    }
  }
}

/** Evenly spaced calls per second: the generic cell rate algorithm (GCRA). */
class RateLimit {
  readonly #intervalMs: number;
  readonly #slackMs: number;
  /** Theoretical arrival time of the next call at an even rate. */
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#slackMs = Math.max(0, BURST_MS - this.#intervalMs);
  }

  /** Milliseconds until a call may pass; 0: now. */
  waitMs(nowMs: number): number {
    // Later than any call could have moved it: the clock was set back.
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
