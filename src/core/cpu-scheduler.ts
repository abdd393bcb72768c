/**
 * Processor time shared out by key: what computes for long (expressions) is cut into slices, so that the event loop turns in
 * between, and every key (a project) has a budget per second. One piece of work runs at a time; those that wait take turns
 * by key. Not for call logic, which knows no time but the clock's.
 *
 * Invariants
 *  - work of one key never waits for more than a slice of every other key's, as long as its own key keeps its budget;
 *  - what is over its budget waits for its key's next second, and holds up nobody meanwhile.
 */
import { performance } from 'node:perf_hooks';

export interface CpuScheduler {
  /** Begins a piece of work: at once where nothing is in the way. */
  acquire(key: string): CpuLease | Promise<CpuLease>;
}

export interface CpuLease {
  /** What it has taken so far, without the time in which it waited. */
  readonly usedMs: number;
  /** Asked now and then: a promise of the next slice when the present one is over. */
  yieldSlice(): Promise<unknown> | undefined;
  /** It is over, or given up. */
  release(): void;
}

export interface CpuSchedulerOptions {
  /** How long the event loop stands still for this work; half a packet interval. */
  sliceMs?: number;
  /** Of a key, in each second. */
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

/** For work that nobody waits for: it has all the time there is. */
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
  /** In slices before the present one. */
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
  /** When each key ran last: whose turn was longest ago is next. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  /** In the present turn of the event loop. */
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
    // Another part of the same work asked before.
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

  /** Lets the next go on, where one may. */
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
