/**
 * One broadcast that goes on: reads ahead the numbers that are due, makes the calls when it is its turn, writes their
 * results, and ends. Neighbours: `fair-share-limiter.ts` says whose turn it is, `dialler.ts` keeps the runs, `read-ahead.ts`
 * and `number-results.ts` read and write numbers, `retry.ts` judges calls, `recover-broadcasts.ts` puts in order what an earlier process left behind.
 *
 * Invariants
 *  R1 a number is claimed in the store before its call begins, and has its result, or waits again, when the call is over:
 *     a write that fails is repeated until it succeeds;
 *  - only the numbers that are dialled within a second or so, and those being called, are in memory;
 *  R3 once it is ending nothing more is dialled; it ends exactly once, when its last call is over and nothing is queued;
 *  R4 the store may answer late, and what was read before may not be so any more: only a claim decides, and what a stop
 *     finds being claimed is put back and settled.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { TEMPORARY_FAILURE } from '../../core/causes.ts';
import { inOrder } from '../../core/in-order.ts';
import { defined } from '../../core/json.ts';
import { mayPresent } from '../call-parts.ts';
import { HANG_UP } from '../control-call.ts';
import { dialOut } from '../place-call.ts';
import { type Broadcast, type NumberRow, RESULT_REASONS, type Result } from './broadcast.ts';
import type { StateChange } from './broadcast-store.ts';
import type { BroadcastParts } from './broadcasts.ts';
import { dialOrderOf, skipReason } from './dial-order.ts';
import type { FairShareLimiter } from './fair-share-limiter.ts';
import { NumberResults, RETRY_MS } from './number-results.ts';
import type { BroadcastProgram } from './program.ts';
import { ReadAhead } from './read-ahead.ts';
import { type EndedCall, resultOf } from './retry.ts';
import { WakeUp } from './wake-up.ts';

/** Numbers that get their result from a stop, in one turn. */
const SETTLE_BATCH = 2000;

const FORGOTTEN: Result = { code: 'failed', reason: RESULT_REASONS.forgotten };

interface LiveCall {
  number: number;
  /** Calls of this number, this one included. */
  attempts: number;
}

interface Ending {
  state: 'stopped' | 'failed';
  error?: string;
}

/** How the dialler drives a run. */
export interface RunControl {
  limiter: FairShareLimiter;
  /** How many numbers to read at once. After these are dialled, numbers that are due again come first. */
  readAhead: number;
  /** A turn led to no call. */
  onUnused(): void;
  /** A turn led to a call. */
  onDialled(): void;
  onEnd(): void;
}

export class BroadcastRun {
  broadcast: Broadcast;
  /** Numbers that wait for their first or next call. */
  queued: number;
  /** Absent: the order cannot be carried out any more, and the broadcast must be ended. */
  readonly #program: BroadcastProgram | undefined;
  readonly #parts: BroadcastParts;
  readonly #control: RunControl;
  readonly #ahead: ReadAhead;
  readonly #results: NumberResults;
  readonly #live = new Map<string, LiveCall>();
  /** Numbers that are about to be claimed. */
  readonly #pending = new Set<number>();
  /** Changes of state, one after the other. */
  readonly #inOrder = inOrder();
  #search: 'none' | 'under_way' | 'again' = 'none';
  #begun: Promise<unknown> | undefined;
  readonly #wakeUp: WakeUp;
  #ending: Ending | undefined;
  #isOver = false;
  #isPaused = false;
  #isClosed = false;

  /** `queued`: how many numbers wait. */
  constructor(
    { broadcast, program, queued }: { broadcast: Broadcast; program: BroadcastProgram | undefined; queued: number },
    parts: BroadcastParts,
    control: RunControl,
  ) {
    this.broadcast = broadcast;
    this.queued = queued;
    this.#program = program;
    this.#parts = parts;
    this.#control = control;
    this.#wakeUp = new WakeUp(parts.clock, () => this.start());
    const { order } = broadcast;
    const [most, pending] = [control.readAhead, this.#pending];
    this.#ahead = new ReadAhead({ order, parts, most, pending, mayDial: () => this.#mayDial() });
    this.#results = new NumberResults({
      ...{ broadcastId: order.broadcastId, parts },
      isEnding: () => this.#ending !== undefined,
      isClosed: () => this.#isClosed,
      onWritten: (callId, againMs) => this.#resultWritten(callId, againMs),
    });
  }

  get callIds(): Iterable<string> {
    return this.#live.keys();
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  /** Numbers that were read, and may be dialled now. */
  get atHand(): number {
    return this.#ahead.count;
  }

  /** Finds numbers to dial, now or later. */
  start(): void {
    if (this.#ending) void this.#finishIfOver();
    else void this.#findWork();
  }

  /** Makes one call, if there still is one to make: it is this broadcast's turn. False: it has none at hand. */
  dialNext(): boolean {
    const row = this.#mayDial() && this.#checkCallerId() ? this.#ahead.take() : undefined;
    if (row) {
      this.#limiter.take();
      void this.#attempt(row);
    } else if (this.#mayDial()) void this.#findWork();
    else this.#limiter.hasWork = false;
    return row !== undefined;
  }

  /** R3. A second stop may still hang up the calls. */
  async stop({ hangUp }: { hangUp: boolean }): Promise<void> {
    if (this.#isOver) return;
    if (this.#ending) {
      if (hangUp) await this.#hangUpAll();
      return;
    }
    if (this.broadcast.state !== 'stopped') {
      const change: StateChange = { state: 'stopped', ...(hangUp ? { hangUp } : {}) };
      const isChanged = await this.#inOrder(() => this.#parts.store.change(this.#id, change, []));
      // It ended meanwhile, or another stop came first.
      if (!isChanged || this.#isOver || this.#ending) return this.#isOver ? undefined : this.stop({ hangUp });
    }
    this.broadcast = { ...this.broadcast, state: 'stopped' };
    this.#parts.log.info('broadcast.stopping', { broadcastId: this.#id, liveCalls: this.liveCalls });
    await this.#beginEnd({ state: 'stopped' }, hangUp);
  }

  /** These numbers wait, and are never called. */
  async forget(numbers: readonly number[]): Promise<void> {
    this.#ahead.letGo();
    for (const number of numbers) {
      await this.#parts.store.settle(this.#id, number, { result: FORGOTTEN, atMs: this.#now });
      this.queued--;
    }
    this.start();
  }

  /** It cannot go on. */
  async fail(error: string): Promise<void> {
    if (this.#isOver || this.#ending) return;
    this.#parts.log.warn('broadcast.failed', { broadcastId: this.#id, error });
    await this.#beginEnd({ state: 'failed', error }, false);
  }

  /** As it is for all nodes; undefined: it is over. */
  follow(found: Broadcast | undefined): void {
    if (this.#isOver) return;
    if (found) this.broadcast = found;
    if (found?.hangUp) this.#hangUp();
    if (this.#isClosed) return;
    if (found?.state === 'stopped' && !this.#ending) void this.stop({ hangUp: false });
    else if (found === undefined && this.#live.size === 0 && this.#pending.size === 0) {
      this.#isOver = true;
      this.#stopDialling();
      this.#control.onEnd();
    } else if (this.#ending || !this.#limiter.hasWork) this.start();
  }

  /** Dials nothing until it goes on; live calls still get their result. */
  pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused || this.#isOver || this.#isClosed) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#stopDialling();
    else this.start();
  }

  /** Dials nothing more; live calls still get their result. */
  close(): void {
    this.#isClosed = true;
    this.#stopDialling();
    this.#limiter.close();
  }

  get #id(): string {
    return this.broadcast.order.broadcastId;
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  get #limiter(): FairShareLimiter {
    return this.#control.limiter;
  }

  #mayDial(): boolean {
    return !this.#ending && !this.#isPaused && !this.#isClosed && !this.#isOver;
  }

  async #beginEnd(ending: Ending, hangUp: boolean): Promise<void> {
    this.#ending = ending;
    this.#stopDialling();
    if (hangUp) this.#hangUp();
    await this.#settleQueued();
  }

  async #settleQueued(): Promise<void> {
    try {
      while (await this.#settleBatch()) await turn();
    } catch (error) {
      this.#parts.log.error('broadcast.not_written', { broadcastId: this.#id, error });
      if (!this.#isClosed) this.#parts.clock.after(RETRY_MS, () => void this.#settleQueued());
      return;
    }
    await this.#finishIfOver();
  }

  /** True: there may be more. */
  async #settleBatch(): Promise<boolean> {
    const end = { result: { code: 'failed', reason: RESULT_REASONS.stopped }, atMs: this.#now } as const;
    const settled = await this.#parts.store.settleQueued(this.#id, { ...end, most: SETTLE_BATCH });
    this.queued -= settled;
    return settled === SETTLE_BATCH;
  }

  #stopDialling(): void {
    this.#ahead.letGo();
    this.#wakeUp.cancel();
    this.#limiter.hasWork = false;
  }

  async #hangUpAll(): Promise<void> {
    this.#hangUp();
    if (!this.#parts.gate || this.broadcast.hangUp) return;
    await this.#inOrder(() => this.#parts.store.change(this.#id, { state: 'stopped', hangUp: true }, []));
  }

  #hangUp(): void {
    for (const callId of this.#live.keys()) void this.#parts.supervisor.command(callId, HANG_UP);
  }

  /** One search at a time; a search that is asked for meanwhile follows it. */
  async #findWork(): Promise<void> {
    if (this.#search !== 'none') {
      this.#search = 'again';
      return;
    }
    // It keeps its turn and its share meanwhile.
    this.#limiter.hold();
    await this.#guarded(async () => {
      do {
        this.#search = 'under_way';
        await this.#read();
      } while (this.#ahead.count === 0 && (this.#search as string) === 'again' && this.#mayDial());
    });
    this.#search = 'none';
    this.#limiter.hasWork = this.#ahead.count > 0 && this.#mayDial();
    this.#limiter.letGo();
  }

  /** Numbers to dial now. Where there are none it tries again when there may be some, or the broadcast has ended. */
  async #read(): Promise<void> {
    if (!this.#mayDial() || this.#ahead.count > 0) return;
    const idle = await this.#ahead.read();
    if (idle === undefined) return;
    if (idle === 'empty') await this.#finishIfOver();
    else if ('problem' in idle) void this.fail(idle.problem);
    else this.#wakeAt(idle.untilMs);
  }

  /** The administrator may take the number from the project, or remove the project, while its broadcasts go on. */
  #checkCallerId(): boolean {
    const { projectId, from } = this.broadcast.order;
    if (mayPresent(projectId, from, this.#parts)) return true;
    void this.fail('its `from` is not a number of the project any more');
    return false;
  }

  #wakeAt(thenMs: number): void {
    if (!this.#isClosed && !this.#isOver) this.#wakeUp.at(thenMs);
  }

  /** Calls this number, or the next one that may be called. */
  async #attempt(first: NumberRow): Promise<void> {
    let isDialled = false;
    const isSound = await this.#guarded(async () => {
      for (let row: NumberRow | undefined = first; row; row = this.#mayDial() ? this.#ahead.take() : undefined) {
        const { number } = row;
        this.#pending.add(number);
        try {
          isDialled = await this.#dialUnlessSkipped(row);
        } finally {
          this.#pending.delete(number);
        }
        if (isDialled) break;
      }
    });
    if (isDialled) this.#control.onDialled();
    else this.#control.onUnused();
    if (!this.#mayDial()) await this.#finishIfOver();
    // A search that met this number left it out, and what is due after it.
    else if (isSound && !this.#limiter.hasWork && this.#pending.size === 0) await this.#findWork();
  }

  async #dialUnlessSkipped(row: NumberRow): Promise<boolean> {
    const result = await skipReason(row, this.broadcast.order, this.#parts);
    if (!this.#mayDial()) return false;
    if (!result) return this.#dial(row);
    await this.#parts.store.settle(this.#id, row.number, { result, atMs: this.#now });
    this.queued--;
    return false;
  }

  /** R1. False: there is no call. */
  async #dial(row: NumberRow): Promise<boolean> {
    const { store, ids } = this.#parts;
    const callId = ids.next('call');
    if (this.broadcast.state === 'initiated') {
      this.#begun ??= this.#begin();
      await this.#begun;
      if (!this.#mayDial()) return false;
    }
    if (!(await store.claim(this.#id, row.number, { callId, atMs: this.#now }))) return false;
    if (!this.#mayDial()) {
      // R4
      await store.release(this.#id, row.number);
      if (this.#ending) await this.#settleQueued();
      return false;
    }
    this.queued--;
    this.#live.set(callId, { number: row.number, attempts: row.attempts + 1 });
    try {
      const run = dialOut(dialOrderOf(row, callId, this.broadcast.order), this.#programFor(row), this.#parts);
      void run.done.then(() => this.#callEnded(run.record));
    } catch (error) {
      this.#parts.log.error('broadcast.call_failed', { broadcastId: this.#id, callId, error });
      // Through our own fault: the number is treated as after a network failure.
      this.#callEnded({ callId, endedMs: this.#now, cause: TEMPORARY_FAILURE });
    }
    return true;
  }

  /** Before the first call. */
  async #begin(): Promise<void> {
    const begun = { state: 'running', startedMs: this.#now } as const;
    try {
      await this.#inOrder(async () => {
        if (this.broadcast.state !== 'initiated') return;
        await this.#parts.store.change(this.#id, begun, []);
        if (this.broadcast.state === 'initiated') this.broadcast = { ...this.broadcast, ...begun };
      });
    } finally {
      this.#begun = undefined;
    }
  }

  #programFor({ input }: NumberRow) {
    const program = this.#program;
    if (!program) throw new Error('a broadcast without a program makes no calls');
    return { ...program, input: program.input(this.#parts.ids, input) };
  }

  #callEnded(record: EndedCall): void {
    const { number, attempts } = this.#live.get(record.callId)!;
    const state = { attempts, stopped: this.#ending !== undefined, nowMs: this.#now };
    void this.#results.write(number, resultOf(record, this.broadcast.order, state));
  }

  /** R1: the call is over. */
  #resultWritten(callId: string, againMs: number | undefined): void {
    this.#live.delete(callId);
    this.#limiter.release();
    if (againMs !== undefined) this.queued++;
    void this.#proceed(againMs);
  }

  async #proceed(againMs: number | undefined): Promise<void> {
    // R4: it waits again since the stop has settled all that waited.
    if (this.#ending && againMs !== undefined) await this.#settleQueued();
    else if (this.#ending || this.#isClosed) await this.#finishIfOver();
    else if (this.#search !== 'none') this.#search = 'again';
    else if (againMs !== undefined && !this.#limiter.hasWork) this.#wakeAt(Math.max(againMs, this.#now + 1));
    // Nothing was left to dial, and this may have been the last call.
    else if (this.#live.size === 0 && !this.#limiter.hasWork && !this.#wakeUp.isSet) await this.#findWork();
  }

  async #finishIfOver(): Promise<void> {
    await this.#guarded(() => this.#inOrder(() => this.#finish()));
  }

  async #finish(): Promise<void> {
    if (this.#isOver || this.#live.size > 0 || this.#pending.size > 0) return;
    const { store, log, eventsOf } = this.#parts;
    const counts = await store.counts(this.#id);
    if (counts.queued > 0 || counts.calling > 0 || this.#live.size > 0 || this.#pending.size > 0) return;
    const { state, error } = { error: undefined, ...(this.#ending ?? { state: 'completed' as const }) };
    const endedMs = this.#now;
    const change = defined<StateChange>({ state, endedMs, error });
    const ended: Broadcast = { ...this.broadcast, ...change };
    const events = eventsOf(ended, state === 'failed' ? 'failed' : 'complete', counts);
    const isOurs = await store.change(this.#id, change, events);
    this.broadcast = ended;
    this.#isOver = true;
    const { numbers, success, failed, attempts } = counts;
    // Otherwise another node has ended it.
    if (isOurs)
      log.info('broadcast.ended', { broadcastId: this.#id, state, count: numbers, success, failed, attempts });
    this.#control.onEnd();
  }

  /** An error here affects no other broadcast, and the work is tried again later. False: there was one. */
  async #guarded(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#parts.log.error('broadcast.broken', { broadcastId: this.#id, error });
      this.#ahead.letGo();
      this.#limiter.hasWork = false;
      this.#wakeAt(this.#now + RETRY_MS);
      return false;
    }
  }
}
