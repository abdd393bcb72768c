/**
 * Fair scheduler of CPU time by key (a project): long computations (expressions) run in slices, between which the event
 * loop turns, and every key has a budget per second. One task runs at a time; waiting tasks take turns by key. Not for
 * call logic, whose only time source is the clock.
 * Invariants
 *  - a task never waits for more than one slice of each other key, while its own key is within its budget;
 *  - a task whose key is over budget waits for the next second of the key, without delaying other keys.
 */
import { performance } from 'node:perf_hooks';

export interface CpuScheduler {
  /** Starts a task: at once if the scheduler is free and the key is within its budget. */
  acquire(key: string): CpuLease | Promise<CpuLease>;
}

export interface CpuLease {
  /** CPU time used so far, in ms, without waiting time. */
  readonly usedMs: number;
  /** To be called regularly. Returns a promise of the next slice if the current slice is used up. */
  yieldSlice(): Promise<unknown> | undefined;
  /** Ends the task, also if it is still waiting. */
  release(): void;
}

export interface CpuSchedulerOptions {
  /** Maximum time that a task blocks the event loop, in ms; default: half a packet interval. */
  sliceMs?: number;
  /** Budget of a key per second, in ms. */
  budgetMs?: number;
  /** For tests. */
  nowMs?: () => number;
  nextTurn?: (run: () => void) => void;
  after?: (delayMs: number, run: () => void) => void;
}

const SECOND_MS = 1000;

interface SecondBudget {
  sinceMs: number;
  ms: number;
}

interface WaitingLease {
  share: ScheduledLease;
  go: (share: ScheduledLease) => void;
}

export function createCpuScheduler(options: CpuSchedulerOptions = {}): CpuScheduler {
  return new FairCpuScheduler(options);
}

/** Lease without limits, for work outside of the event loop of calls. */
export function unlimitedCpu(): CpuLease {
  const beganMs = performance.now();
  return {
    get usedMs() {
      return performance.now() - beganMs;
    },
    yieldSlice: () => undefined,
    release: () => undefined,
  };
}

class ScheduledLease implements CpuLease {
  readonly key: string;
  readonly #shares: FairCpuScheduler;
  /** CPU time in the slices before the current one, in ms. */
  before = 0;
  sinceMs = 0;
  pending: Promise<ScheduledLease> | undefined;

  constructor(key: string, shares: FairCpuScheduler) {
    this.key = key;
    this.#shares = shares;
  }

  get usedMs(): number {
    return this.before + this.#shares.sliceOf(this);
  }

  yieldSlice(): Promise<unknown> | undefined {
    return this.#shares.pause(this);
  }

  release(): void {
    this.#shares.leave(this);
  }
}

class FairCpuScheduler implements CpuScheduler {
  readonly #sliceMs: number;
  readonly #budgetMs: number;
  readonly #now: () => number;
  readonly #nextTurn: (run: () => void) => void;
  readonly #after: (delayMs: number, run: () => void) => void;
  readonly #spent = new Map<string, SecondBudget>();
  readonly #waiting = new Map<string, WaitingLease[]>();
  #running: ScheduledLease | undefined;
  /** Turn in which each key last ran: the key with the oldest turn is next. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  /** CPU time used in the current turn of the event loop, in ms. */
  #turnMs = 0;
  #isTurnAwaited = false;
  #isSecondAwaited = false;

  constructor(options: CpuSchedulerOptions) {
    this.#sliceMs = options.sliceMs ?? 10;
    this.#budgetMs = options.budgetMs ?? 500;
    this.#now = options.nowMs ?? (() => performance.now());
    this.#nextTurn = options.nextTurn ?? ((run) => void setImmediate(run));
    this.#after = options.after ?? ((delayMs, run) => void setTimeout(run, delayMs).unref());
  }

  acquire(key: string): ScheduledLease | Promise<ScheduledLease> {
    const share = new ScheduledLease(key, this);
    const isFree = !this.#running && this.#turnMs < this.#sliceMs && !this.#waiting.has(key);
    if (!isFree || this.#isOverBudget(key)) return this.#wait(share);
    this.#begin(share);
    return share;
  }

  sliceOf(share: ScheduledLease): number {
    return this.#running === share ? this.#now() - share.sinceMs : 0;
  }

  pause(share: ScheduledLease): Promise<unknown> | undefined {
    // Another part of the same task has already yielded.
    if (this.#running !== share) return share.pending;
    if (this.#turnMs + this.sliceOf(share) < this.#sliceMs) return undefined;
    this.#end(share);
    share.pending = this.#wait(share);
    return share.pending;
  }

  leave(share: ScheduledLease): void {
    if (this.#running === share) this.#end(share);
    else this.#forget(share);
    this.#next();
  }

  #begin(share: ScheduledLease): void {
    this.#running = share;
    this.#turns.set(share.key, ++this.#turn);
    share.sinceMs = this.#now();
    share.pending = undefined;
  }

  #end(share: ScheduledLease): void {
    const tookMs = this.sliceOf(share);
    this.#running = undefined;
    share.before += tookMs;
    this.#turnMs += tookMs;
    this.#spentOf(share.key).ms += tookMs;
    this.#awaitTurn();
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    this.#nextTurn(() => {
      this.#isTurnAwaited = false;
      this.#turnMs = 0;
      this.#next();
    });
  }

  #wait(share: ScheduledLease): Promise<ScheduledLease> {
    const promise = new Promise<ScheduledLease>((go) => {
      this.#waiting.set(share.key, [...(this.#waiting.get(share.key) ?? []), { share, go }]);
    });
    this.#next();
    return promise;
  }

  /** Starts the next waiting task, if the turn and a budget allow it. */
  #next(): void {
    if (this.#running || this.#waiting.size === 0) return;
    const able = [...this.#waiting.keys()].filter((one) => !this.#isOverBudget(one));
    const turnOf = (one: string): number => this.#turns.get(one) ?? 0;
    const [key] = able.sort((one, other) => turnOf(one) - turnOf(other));
    if (this.#turnMs >= this.#sliceMs) this.#awaitTurn();
    else if (key === undefined) this.#awaitSecond();
    else this.#resume(key);
  }

  #resume(key: string): void {
    const [first, ...rest] = this.#waiting.get(key)!;
    this.#waiting.delete(key);
    if (rest.length > 0) this.#waiting.set(key, rest);
    this.#begin(first!.share);
    first!.go(first!.share);
  }

  #awaitSecond(): void {
    if (this.#isSecondAwaited) return;
    this.#isSecondAwaited = true;
    const nowMs = this.#now();
    const ends = [...this.#waiting.keys()].map((key) => this.#spentOf(key).sinceMs + SECOND_MS);
    this.#after(Math.max(1, Math.ceil(Math.min(...ends) - nowMs)), () => {
      this.#isSecondAwaited = false;
      this.#next();
    });
  }

  #forget(share: ScheduledLease): void {
    const rest = (this.#waiting.get(share.key) ?? []).filter((one) => one.share !== share);
    if (rest.length > 0) this.#waiting.set(share.key, rest);
    else this.#waiting.delete(share.key);
  }

  #isOverBudget(key: string): boolean {
    return this.#spentOf(key).ms >= this.#budgetMs;
  }

  #spentOf(key: string): SecondBudget {
    const nowMs = this.#now();
    const spent = this.#spent.get(key);
    if (spent && nowMs - spent.sinceMs < SECOND_MS) return spent;
    const fresh = { sinceMs: nowMs, ms: 0 };
    this.#spent.set(key, fresh);
    return fresh;
  }
}
