/**
 * Carries out all broadcasts that go on: keeps their runs, and makes calls for as long as somebody's turn it is. Sleeps
 * otherwise: lanes and runs wake it when there is something to do.
 */
import type { Timer } from '../../core/clock.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastParts } from './broadcast-parts.ts';
import { BroadcastRun } from './broadcast-run.ts';
import { FairShareLimiter } from './fair-share-limiter.ts';
import type { BroadcastProgram } from './program.ts';

/** Calls begun in one turn of the event loop. */
const CALLS_AT_ONCE = 32;
/** Numbers read at once by one broadcast. */
const MOST_AHEAD = 32;
/** The service has no room for another call: nobody tells when it has again. */
const CROWDED_MS = 250;

interface ProjectLimiters {
  /** Where all broadcasts of the project join. */
  own: FairShareLimiter;
  /** Where those join that say nothing of their pace. */
  shared: FairShareLimiter;
  broadcasts: number;
}

export class Dialler {
  readonly #parts: BroadcastParts;
  readonly #lane: FairShareLimiter;
  readonly #projects = new Map<string, ProjectLimiters>();
  readonly #runs = new Map<string, BroadcastRun>();
  readonly #runOf = new Map<FairShareLimiter, BroadcastRun>();
  #wake: Timer | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    const { callsPerSecond, maxConcurrent } = parts.limits;
    this.#lane = new FairShareLimiter(parts.clock, { callsPerSecond, maxConcurrent }, () => this.#wakeIn(0));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get runs(): Iterable<BroadcastRun> {
    return this.#runs.values();
  }

  /** Of a project. */
  openOf(projectId: string): number {
    return this.#projects.get(projectId)?.broadcasts ?? 0;
  }

  run(broadcastId: string): BroadcastRun | undefined {
    return this.#runs.get(broadcastId);
  }

  /** Takes a broadcast up; it begins to dial in a turn of its own. */
  open(broadcast: Broadcast, program: BroadcastProgram | undefined, queued: number): BroadcastRun {
    const { broadcastId, projectId } = broadcast.order;
    const { limiter, callsPerSecond } = this.#laneOf(broadcast);
    const run = new BroadcastRun({ broadcast, program, queued }, this.#parts, {
      limiter,
      ahead: Math.max(1, Math.min(MOST_AHEAD, Math.ceil(callsPerSecond))),
      over: () => {
        this.#runs.delete(broadcastId);
        this.#runOf.delete(limiter);
        limiter.close();
        this.#leave(projectId);
      },
    });
    this.#runs.set(broadcastId, run);
    this.#runOf.set(limiter, run);
    // One that was written when the service was told to stop is carried out by the next.
    if (this.#isClosed) run.close();
    else if (this.#isStarted) this.#parts.clock.after(0, () => run.start());
    return run;
  }

  start(): void {
    this.#isStarted = true;
    for (const run of [...this.#runs.values()]) run.start();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.cancel();
    for (const run of this.#runs.values()) run.close();
    for (const { own, shared } of this.#projects.values()) for (const limiter of [shared, own]) limiter.close();
    this.#lane.close();
  }

  #wakeIn(delayMs: number): void {
    if (this.#isClosed) return;
    this.#wake ??= this.#parts.clock.after(delayMs, () => {
      this.#wake = undefined;
      this.#dial();
    });
  }

  #dial(): void {
    for (let calls = 0; calls < CALLS_AT_ONCE; calls++) {
      if (!this.#parts.hasCapacity()) {
        this.#wakeIn(CROWDED_MS);
        return;
      }
      const limiter = this.#lane.next();
      if (!limiter) return;
      this.#runOf.get(limiter)!.dialNext();
    }
    this.#wakeIn(0);
  }

  /** One that says anything of its pace has a pace of its own: what it leaves out is as much as its project has. */
  #laneOf({ order: { projectId, pacing } }: Broadcast): { limiter: FairShareLimiter; callsPerSecond: number } {
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
      const own = new FairShareLimiter(clock, {}, this.#lane);
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
