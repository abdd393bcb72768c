/**
 * Whose turn it is to make a call. Lanes join one another: broadcasts join in their project's lane, projects in the one of
 * the service. Neighbours: `dialler.ts` asks `next`, and says when a call begins (`take`) and ends (`release`).
 *
 * Invariants
 *  P1 no lane starts more calls per second than it may, nor has more at once; what was missed is not made up for beyond
 *     `BURST_MS`;
 *  P2 lanes that join take turns, call by call;
 *  P3 of the calls at once, lanes that have something to dial have equal shares. Who has its share takes more only when
 *     nobody waits who has less, and leaves a part (`RESERVE`) for those who are about to: a far end that never answers
 *     holds up its own broadcast only;
 *  P4 the work per call depends on the number of lanes between a broadcast and the service, not on how many join: a lane
 *     that cannot go on is put aside until something happens that may change that.
 */
import type { Clock, Timer } from '../../core/clock.ts';

/** What a late timer, or a broadcast that begins, may send at once. */
const BURST_MS = 100;
/** Of the calls at once, kept free from those that have their share already. */
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
  /** Told, on the lane of the service, that `next` may have something to give. */
  readonly #stirred: (() => void) | undefined;
  /** Lanes that join here and may go on, in the order of their turns. */
  readonly #ready = new Set<FairShareLimiter>();
  /** Those of them that have their share of the calls at once, and would take more. */
  readonly #sated = new Set<FairShareLimiter>();
  /** How many that join here have something to dial. */
  #contenders = 0;
  #wants = false;
  #opening: Timer | undefined;

  constructor(clock: Clock, limits: PaceLimits, joins: FairShareLimiter | (() => void)) {
    this.#clock = clock;
    this.#gate = limits.callsPerSecond === undefined ? undefined : new RateLimit(limits.callsPerSecond);
    this.#maxConcurrent = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
    if (joins instanceof FairShareLimiter) this.#parent = joins;
    else this.#stirred = joins;
  }

  /** Of a broadcast: whether it has something to dial now. */
  get hasWork(): boolean {
    return this.#wants;
  }

  set hasWork(wants: boolean) {
    if (wants === this.#wants) return;
    this.#wants = wants;
    if (wants) this.#contend();
    else this.#withdraw();
  }

  /** The broadcast whose turn it is; undefined: none may dial now, and `stirred` tells when that may have changed. */
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
    for (let limiter: FairShareLimiter | undefined = this; limiter; limiter = limiter.#parent) limiter.#stir();
  }

  /** It is needed no more. Calls that go on are still released. */
  close(): void {
    this.hasWork = false;
    this.#opening?.cancel();
    this.#opening = undefined;
  }

  /** `most`: how many calls it may have, as things are where it joins. */
  #next(most: number): FairShareLimiter | undefined {
    if (this.liveCalls >= Math.min(most, this.#maxConcurrent) || !this.#isOpen()) return undefined;
    return this.#wants ? this : this.#nextThatJoins(Math.min(most, this.#maxConcurrent));
  }

  /** One that cannot go on is put aside: it comes back when it is stirred. */
  #nextThatJoins(most: number): FairShareLimiter | undefined {
    const share = Math.ceil(most / Math.max(1, this.#contenders));
    for (const limiter of this.#ready) {
      this.#ready.delete(limiter);
      if (limiter.liveCalls >= share) {
        this.#sated.add(limiter);
        continue;
      }
      const found = limiter.#next(share);
      if (!found) continue;
      // P2: behind the others.
      this.#ready.add(limiter);
      return found;
    }
    // P3
    const spare = most - this.liveCalls - (this.#contenders > 1 ? Math.ceil(most * RESERVE) : 0);
    if (spare <= 0) return undefined;
    for (const limiter of this.#sated) {
      this.#sated.delete(limiter);
      const found = limiter.#next(limiter.liveCalls + spare);
      if (!found) continue;
      this.#sated.add(limiter);
      return found;
    }
    return undefined;
  }

  #isOpen(): boolean {
    const waitMs = this.#gate?.waitMs(this.#clock.monotonicMs()) ?? 0;
    if (waitMs === 0) return true;
    this.#opening ??= this.#clock.after(waitMs, () => {
      this.#opening = undefined;
      this.#stir();
    });
    return false;
  }

  get #hasDemand(): boolean {
    return this.#wants || this.#contenders > 0;
  }

  /** It may be able to go on again. */
  #stir(): void {
    if (!this.#hasDemand || this.#opening) return;
    const parent = this.#parent;
    if (parent) {
      parent.#sated.delete(this);
      parent.#ready.add(this);
      parent.#stir();
    } else this.#stirred?.();
  }

  #contend(): void {
    for (let limiter = this.#parent; limiter; limiter = limiter.#parent) if (++limiter.#contenders > 1) break;
    this.#stir();
  }

  #withdraw(): void {
    let limiter: FairShareLimiter = this;
    for (let parent = limiter.#parent; parent; parent = limiter.#parent) {
      parent.#ready.delete(limiter);
      parent.#sated.delete(limiter);
      parent.#contenders--;
      // The shares of the others have grown.
      for (const other of parent.#sated) other.#stir();
      parent.#stir();
      if (parent.#contenders > 0) return;
      limiter = parent;
    }
  }
}

/** So many a second, evenly: the generic cell rate algorithm. */
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
    // Later than one that has just passed could make it: the clock was set back.
    this.#nextMs = Math.min(this.#nextMs, nowMs + this.#slackMs + this.#intervalMs);
    return Math.max(0, Math.ceil(this.#nextMs - this.#slackMs - nowMs));
  }

  pass(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs) + this.#intervalMs;
  }
}
