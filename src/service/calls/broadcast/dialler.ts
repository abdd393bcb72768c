/**
 * Carries out all active broadcasts: keeps their runs and dials while one of them has a turn. It is idle until a
 * limiter or a run wakes it.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { Broadcast } from './broadcast.ts';
import { BroadcastRun } from './broadcast-run.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { DialLane } from './dial-gate.ts';
import { DialPermits } from './dial-permits.ts';
import { FairShareLimiter } from './fair-share-limiter.ts';
import type { BroadcastProgram } from './program.ts';

/** Maximum calls started in one turn of the event loop. */
const CALL_BATCH = 32;
/** Maximum numbers that one broadcast reads at once. */
const MAX_READ_AHEAD = 32;
/** Interval of checks while there is no capacity: no event reports that it is free again. */
const CAPACITY_RETRY_MS = 250;

interface ProjectLimiters {
  /** Limiter of all broadcasts of the project. */
  own: FairShareLimiter;
  /** Limiter of the broadcasts that set no pace of their own. */
  shared: FairShareLimiter;
  broadcasts: number;
}

export class Dialler {
  readonly #parts: BroadcastParts;
  readonly #root: FairShareLimiter;
  readonly #projects = new Map<string, ProjectLimiters>();
  readonly #runs = new Map<string, BroadcastRun>();
  readonly #runOf = new Map<FairShareLimiter, BroadcastRun>();
  /** Present if several nodes dial. */
  readonly #rights: DialPermits | undefined;
  #wake: Timer | undefined;
  #isStarted = false;
  #isPaused = false;
  #isClosed = false;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    const { callsPerSecond, maxConcurrent } = parts.limits;
    this.#root = new FairShareLimiter(parts.clock, { callsPerSecond, maxConcurrent }, () => this.#wakeIn(0));
    const { gate, clock, log } = parts;
    this.#rights = gate && new DialPermits({ gate, clock, log });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get runs(): Iterable<BroadcastRun> {
    return this.#runs.values();
  }

  run(broadcastId: string): BroadcastRun | undefined {
    return this.#runs.get(broadcastId);
  }

  /** Adds a broadcast; dialling starts in a later turn of the event loop. */
  open(broadcast: Broadcast, program: BroadcastProgram | undefined, queued: number): BroadcastRun {
    const { broadcastId, projectId } = broadcast.order;
    const known = this.#runs.get(broadcastId);
    if (known) return known;
    const { limiter, callsPerSecond } = this.#limiterOf(broadcast);
    const run = new BroadcastRun({ broadcast, program, queued }, this.#parts, {
      limiter,
      readAhead: Math.max(1, Math.min(MAX_READ_AHEAD, Math.ceil(callsPerSecond))),
      onUnused: () => {
        this.#rights?.giveBack(limiter);
        limiter.giveBack();
        this.#parts.capacity.settle(projectId);
      },
      onDialled: () => this.#parts.capacity.settle(projectId),
      onEnd: () => {
        this.#runs.delete(broadcastId);
        this.#runOf.delete(limiter);
        limiter.close();
        this.#rights?.close(limiter);
        this.#leave(projectId);
      },
    });
    this.#runs.set(broadcastId, run);
    this.#runOf.set(limiter, run);
    this.#rights?.open(limiter, () => this.#lanesOf(broadcast, limiter));
    // A broadcast that is created while the service stops runs after the next start.
    run.pause(this.#isPaused);
    if (this.#isClosed) run.close();
    else if (this.#isStarted) this.#parts.clock.after(0, () => run.start());
    return run;
  }

  start(): void {
    this.#isStarted = true;
    for (const run of [...this.#runs.values()]) run.start();
  }

  /** Suspends or resumes dialling. Other nodes that dial take over the numbers that were read here. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const run of [...this.#runs.values()]) run.pause(isPaused);
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.cancel();
    for (const run of this.#runs.values()) run.close();
    for (const { own, shared } of this.#projects.values()) for (const limiter of [shared, own]) limiter.close();
    for (const limiter of this.#runOf.keys()) this.#rights?.close(limiter);
    this.#root.close();
  }

  #wakeIn(delayMs: number): void {
    if (this.#isClosed) return;
    this.#wake ??= this.#parts.clock.after(delayMs, () => {
      this.#wake = undefined;
      this.#dial();
    });
  }

  #dial(): void {
    const { capacity } = this.#parts;
    for (let calls = 0; calls < CALL_BATCH; calls++) {
      if (capacity.problem({ direction: 'outbound' })) {
        this.#wakeIn(CAPACITY_RETRY_MS);
        return;
      }
      const limiter = this.#root.next();
      if (!limiter) return;
      const run = this.#runOf.get(limiter)!;
      const { projectId } = run.broadcast.order;
      const waitMs = capacity.problem({ projectId, direction: 'outbound' })
        ? CAPACITY_RETRY_MS
        : capacity.waitMs(projectId);
      if (waitMs > 0) this.#rest(limiter, waitMs);
      else if (this.#rights?.take(limiter, run.atHand) !== false) this.#dialNext(run, limiter, projectId);
    }
    this.#wakeIn(0);
  }

  #dialNext(run: BroadcastRun, limiter: FairShareLimiter, projectId: string): void {
    if (run.dialNext()) {
      this.#parts.capacity.takeTurn(projectId);
      this.#parts.capacity.reserve(projectId);
    } else this.#rights?.giveBack(limiter);
  }

  /** The project may place no call for now: skips it, so that others can dial. */
  #rest(limiter: FairShareLimiter, delayMs: number): void {
    limiter.hold();
    this.#parts.clock.after(delayMs, () => limiter.letGo());
  }

  /** Lanes of a broadcast, in the same tree as the limiters, but shared by all nodes. */
  #lanesOf({ order: { broadcastId, projectId, pacing } }: Broadcast, limiter: FairShareLimiter): DialLane[] {
    const { callsPerSecond, maxConcurrent, ...ofProject } = this.#parts.limits;
    const { own, shared } = this.#projects.get(projectId)!;
    const limits = {
      callsPerSecond: pacing.callsPerSecond ?? ofProject.projectCallsPerSecond,
      maxConcurrent: pacing.maxConcurrent ?? ofProject.projectMaxConcurrent,
    };
    const isShared = pacing.callsPerSecond === undefined && pacing.maxConcurrent === undefined;
    const name = `broadcast ${broadcastId}`;
    return [
      { name: 'service', callsPerSecond, maxConcurrent, liveCalls: this.#root.liveCalls },
      { name: `project ${projectId}`, liveCalls: own.liveCalls },
      ...(isShared ? [{ name: `shared ${projectId}`, ...limits, liveCalls: shared.liveCalls }] : []),
      { name, ...(isShared ? {} : limits), liveCalls: limiter.liveCalls },
    ];
  }

  /**
   * A broadcast that sets any limit has its own limiter; for a limit that it leaves out it uses that of its project.
   */
  #limiterOf({ order: { projectId, pacing } }: Broadcast): { limiter: FairShareLimiter; callsPerSecond: number } {
    const { clock, limits } = this.#parts;
    const limiters = this.#enter(projectId);
    const { callsPerSecond = limits.projectCallsPerSecond, maxConcurrent = limits.projectMaxConcurrent } = pacing;
    const isShared = pacing.callsPerSecond === undefined && pacing.maxConcurrent === undefined;
    const limiter = isShared
      ? new FairShareLimiter(clock, {}, limiters.shared)
      : new FairShareLimiter(clock, { callsPerSecond, maxConcurrent }, limiters.own);
    return { limiter, callsPerSecond };
  }

  #enter(projectId: string): ProjectLimiters {
    const { clock, limits } = this.#parts;
    let limiters = this.#projects.get(projectId);
    if (!limiters) {
      const own = new FairShareLimiter(clock, {}, this.#root);
      const limit = { callsPerSecond: limits.projectCallsPerSecond, maxConcurrent: limits.projectMaxConcurrent };
      limiters = { own, shared: new FairShareLimiter(clock, limit, own), broadcasts: 0 };
      this.#projects.set(projectId, limiters);
    }
    limiters.broadcasts++;
    return limiters;
  }

  #leave(projectId: string): void {
    const limiters = this.#projects.get(projectId)!;
    if (--limiters.broadcasts > 0) return;
    limiters.shared.close();
    limiters.own.close();
    this.#projects.delete(projectId);
  }
}
