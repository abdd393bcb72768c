/**
 * One broadcast that goes on: reads ahead what is due, makes the calls when it is its turn, writes what came of them, and
 * ends. Neighbours: `pacing.ts` says whose turn it is, `dialler.ts` keeps the runs, `retry.ts` judges calls,
 * `recover-broadcasts.ts` puts in order what a service that died left behind.
 *
 * Invariants
 *  R1 a number is claimed in the store before its call begins, and has its result, or waits again, when the call is over:
 *     what the store refuses is tried again until it takes it;
 *  R2 no more numbers are in memory than are dialled within a second or so, and those that are being called;
 *  R3 once it is ending nothing more is dialled; it ends, exactly once, when its last call is over and nothing is queued.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { NORMAL_CLEARING, TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { Timer } from '../../core/clock.ts';
import { defined } from '../../core/json.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { mayPresent } from '../call-parts.ts';
import { type DialOrder, dialOut } from '../place-call.ts';
import { type Attempt, type Broadcast, type NumberRow, RESULT_REASONS, type Result } from './broadcast.ts';
import type { BroadcastParts } from './broadcast-parts.ts';
import type { StateChange } from './broadcast-store.ts';
import { CallingWindow } from './calling-window.ts';
import type { FairShareLimiter } from './fair-share-limiter.ts';
import { phoneKey } from './phone-key.ts';
import type { BroadcastProgram } from './program.ts';
import { resultOf, retryAfterMs } from './retry.ts';

/** Numbers that are settled without a call, in one turn. */
const SKIPPED_AT_ONCE = 8;
/** Numbers that a stop settles in one turn. */
const SETTLED_AT_ONCE = 2000;
/** After the store did not do as it was told. */
const BREATHER_MS = 1000;
/** Whoever waits for the time of day looks at it now and then: somebody may set the clock. */
const LONGEST_SLEEP_MS = 60_000;

const NO_ROUTE: Result = { code: 'failed', reason: 'No Route To Destination' };

interface LiveCall {
  number: number;
  /** Calls of this number, this one included. */
  attempts: number;
}

/** Where a run takes its turns, and who is told of its end. */
export interface RunPlace {
  limiter: FairShareLimiter;
  /** How many numbers to read at once: those that are due again come first, as soon as these are dialled. */
  ahead: number;
  over(broadcastId: string): void;
}

export class BroadcastRun {
  broadcast: Broadcast;
  /** Numbers that wait for their first or next call. */
  queued: number;
  /** Absent: what it is to do is not known any more, and it must be made to end. */
  readonly #program: BroadcastProgram | undefined;
  readonly #parts: BroadcastParts;
  readonly #place: RunPlace;
  readonly #window: CallingWindow;
  /** No number waits longer for its next call. */
  readonly #longestWaitMs: number;
  readonly #live = new Map<string, LiveCall>();
  #ahead: NumberRow[] = [];
  #alarm: { timer: Timer; atMs: number } | undefined;
  #ending: { state: 'stopped' | 'failed'; error?: string } | undefined;
  #isOver = false;
  #isClosed = false;

  /** `queued`: how many numbers wait. */
  constructor(
    { broadcast, program, queued }: { broadcast: Broadcast; program: BroadcastProgram | undefined; queued: number },
    parts: BroadcastParts,
    place: RunPlace,
  ) {
    this.broadcast = broadcast;
    this.queued = queued;
    this.#program = program;
    this.#parts = parts;
    this.#place = place;
    this.#window = new CallingWindow(broadcast.order.window, parts.schedules);
    this.#longestWaitMs = Math.max(...Object.values(broadcast.order.retry).map(({ intervalMs }) => intervalMs));
  }

  get callIds(): Iterable<string> {
    return this.#live.keys();
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  /** Looks for something to dial, now or later. */
  start(): void {
    this.#guarded(() => {
      if (this.#ending) this.#finishIfOver();
      else this.#lane.hasWork = this.#look();
    });
  }

  /** It is its turn: makes one call, if there still is one to make. */
  dialNext(): void {
    this.#guarded(() => {
      for (let skipped = 0; skipped < SKIPPED_AT_ONCE; skipped++) {
        if (!this.#look()) {
          this.#lane.hasWork = false;
          return;
        }
        if (!this.#mayCall()) return;
        const row = this.#ahead.shift()!;
        const obstacle = this.#obstacleOf(row);
        if (!obstacle) return this.#dial(row);
        this.#parts.store.settle(this.#id, row.number, { result: obstacle, atMs: this.#now });
        this.queued--;
      }
    });
  }

  /** R3. A second stop can only ask for more: that calls are hung up. */
  async stop({ hangUp }: { hangUp: boolean }): Promise<void> {
    if (this.#isOver) return;
    if (!this.#ending) {
      if (this.broadcast.state !== 'stopped') this.#parts.store.change(this.#id, { state: 'stopped' }, []);
      this.broadcast = { ...this.broadcast, state: 'stopped' };
      this.#parts.log.info('broadcast.stopping', { broadcastId: this.#id, liveCalls: this.liveCalls });
      await this.#wind({ state: 'stopped' }, hangUp);
    } else if (hangUp) this.#hangUp();
  }

  /** It cannot be carried on. */
  async fail(error: string): Promise<void> {
    if (this.#isOver || this.#ending) return;
    this.#parts.log.warn('broadcast.failed', { broadcastId: this.#id, error });
    await this.#wind({ state: 'failed', error }, false);
  }

  /** Dials nothing more; calls that go on still get their result. */
  close(): void {
    this.#isClosed = true;
    this.#rest();
    this.#lane.close();
  }

  get #id(): string {
    return this.broadcast.order.broadcastId;
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  get #lane(): FairShareLimiter {
    return this.#place.limiter;
  }

  async #wind(ending: { state: 'stopped' | 'failed'; error?: string }, hangUp: boolean): Promise<void> {
    this.#ending = ending;
    this.#rest();
    if (hangUp) this.#hangUp();
    await this.#settleRest();
  }

  async #settleRest(): Promise<void> {
    try {
      while (this.#settleSome()) await turn();
    } catch (error) {
      this.#parts.log.error('broadcast.not_written', { broadcastId: this.#id, error });
      if (!this.#isClosed) this.#parts.clock.after(BREATHER_MS, () => void this.#settleRest());
      return;
    }
    this.#guarded(() => this.#finishIfOver());
  }

  /** Whether there may be more. */
  #settleSome(): boolean {
    const end = { result: { code: 'failed', reason: RESULT_REASONS.stopped }, atMs: this.#now } as const;
    const settled = this.#parts.store.settleQueued(this.#id, { ...end, most: SETTLED_AT_ONCE });
    this.queued -= settled;
    return settled === SETTLED_AT_ONCE;
  }

  #rest(): void {
    this.#ahead = [];
    this.#alarm?.timer.cancel();
    this.#alarm = undefined;
    this.#lane.hasWork = false;
  }

  #hangUp(): void {
    const command = { type: 'hangup', cause: NORMAL_CLEARING.code } as const;
    for (const callId of this.#live.keys()) void this.#parts.supervisor.command(callId, command);
  }

  /** Whether there is something to dial now. If not, it looks again when there may be, or the broadcast has ended. */
  #look(): boolean {
    if (this.#ending || this.#isClosed || this.#isOver) return false;
    const { store } = this.#parts;
    const nowMs = this.#now;
    const hours = this.#window.at(nowMs);
    if (hours !== 'open') {
      this.#ahead = [];
      if (hours === 'closed') this.#wakeAt(this.#window.looksAgainMs(nowMs));
      else void this.fail(hours.problem);
      return false;
    }
    if (this.#ahead.length === 0) this.#ahead = store.due(this.#id, nowMs, this.#place.ahead);
    if (this.#ahead.length > 0) return true;
    const dueMs = store.nextDueMs(this.#id);
    if (dueMs === undefined) this.#finishIfOver();
    else if (dueMs > nowMs + this.#longestWaitMs + 1) {
      // The clock was set back: it would be due when it is as late again as it was.
      this.#ahead = store.due(this.#id, dueMs, this.#place.ahead);
      return this.#ahead.length > 0;
    } else this.#wakeAt(Math.max(dueMs, nowMs + 1));
    return false;
  }

  /** A number may be taken from its project, and a project from the service, while its broadcasts go on. */
  #mayCall(): boolean {
    const { projectId, from } = this.broadcast.order;
    if (mayPresent(projectId, from, this.#parts)) return true;
    void this.fail('its from is no number of the project any more');
    return false;
  }

  #wakeAt(thenMs: number): void {
    const atMs = Math.min(thenMs, this.#now + LONGEST_SLEEP_MS);
    if (this.#alarm && this.#alarm.atMs <= atMs) return;
    this.#alarm?.timer.cancel();
    const timer = this.#parts.clock.after(atMs - this.#now, () => {
      this.#alarm = undefined;
      this.start();
    });
    this.#alarm = { timer, atMs };
  }

  /** Why this number is not called at all. */
  #obstacleOf({ phone }: NumberRow): Result | undefined {
    const { store, isRoutable } = this.#parts;
    if (store.doNotCall.has(this.broadcast.order.projectId, phoneKey(phone))) {
      return { code: 'failed', reason: RESULT_REASONS.doNotCall };
    }
    return isRoutable(phone) ? undefined : NO_ROUTE;
  }

  /** R1 */
  #dial(row: NumberRow): void {
    const { store, ids } = this.#parts;
    const callId = ids.next('call');
    if (this.broadcast.state === 'initiated') {
      const begun = { state: 'running', startedMs: this.#now } as const;
      store.change(this.#id, begun, []);
      this.broadcast = { ...this.broadcast, ...begun };
    }
    if (!store.claim(this.#id, row.number, { callId, atMs: this.#now })) return;
    this.queued--;
    this.#live.set(callId, { number: row.number, attempts: row.attempts + 1 });
    this.#lane.take();
    try {
      const run = dialOut(this.#callTo(row, callId), this.#programFor(row), this.#parts);
      void run.done.then(() => this.#ended(run.record));
    } catch (error) {
      this.#parts.log.error('broadcast.call_failed', { broadcastId: this.#id, callId, error });
      this.#unmade(callId);
    }
  }

  #callTo({ phone }: NumberRow, callId: string): DialOrder {
    const { broadcastId, projectId, from, ringTimeoutMs, eventUrl, callHandlerUrl, ownerRef } = this.broadcast.order;
    const told = callHandlerUrl ?? eventUrl;
    return defined({ ...{ callId, projectId, from, to: phone, ringTimeoutMs, broadcastId }, eventUrl: told, ownerRef });
  }

  #programFor({ input }: NumberRow) {
    const program = this.#program;
    if (!program) throw new Error('a broadcast without a program makes no calls');
    return { ...program, input: program.input(this.#parts.ids, input) };
  }

  #ended(record: CallRecord): void {
    const call = this.#live.get(record.callId)!;
    const { order } = this.broadcast;
    const state = { attempts: call.attempts, stopped: this.#ending !== undefined, nowMs: this.#now };
    const { attempt, result, againMs } = resultOf(record, order, state);
    this.#book(call, attempt, result, againMs);
  }

  /** Something of ours broke: as if the network had. */
  #unmade(callId: string): void {
    const call = this.#live.get(callId)!;
    const cause = TEMPORARY_FAILURE;
    const afterMs = this.#ending ? undefined : retryAfterMs(cause, call.attempts, this.broadcast.order.retry);
    const result: Result = { code: 'failed', reason: cause.reason, cause: cause.code };
    this.#book(
      call,
      { callId, endedMs: this.#now, cause },
      result,
      afterMs === undefined ? undefined : this.#now + afterMs,
    );
  }

  /** R1: the call is over. */
  #book(call: LiveCall, attempt: Attempt, result: Result, againMs: number | undefined): void {
    const { store, log } = this.#parts;
    // A stop may have come since it was tried the last time.
    const isAgain = againMs !== undefined && !this.#ending;
    // The start after the next stop of the service puts in order what is not written before it.
    const later = (): void => {
      if (!this.#isClosed) this.#parts.clock.after(BREATHER_MS, () => this.#book(call, attempt, result, againMs));
    };
    // The end of the broadcast is told after that of the call.
    if (this.#parts.isBuffered?.(attempt.callId)) {
      later();
      return;
    }
    try {
      if (isAgain) store.requeue(this.#id, call.number, attempt, result, againMs);
      else store.settle(this.#id, call.number, { result, atMs: this.#now, attempt });
    } catch (error) {
      log.error('broadcast.not_written', { broadcastId: this.#id, callId: attempt.callId, error });
      later();
      return;
    }
    this.#live.delete(attempt.callId);
    this.#lane.release();
    if (isAgain) this.queued++;
    this.#guarded(() => this.#goOn(isAgain ? againMs : undefined));
  }

  #goOn(againMs: number | undefined): void {
    if (this.#ending || this.#isClosed) this.#finishIfOver();
    else if (againMs !== undefined && !this.#lane.hasWork) this.#wakeAt(Math.max(againMs, this.#now + 1));
    // Nothing was left to dial, and this may have been the last call.
    else if (this.#live.size === 0 && !this.#lane.hasWork && !this.#alarm) this.start();
  }

  #finishIfOver(): void {
    if (this.#isOver || this.#live.size > 0) return;
    const { store, log, eventsOf } = this.#parts;
    if (this.queued > 0 && store.nextDueMs(this.#id) !== undefined) return;
    const { state, error } = { error: undefined, ...(this.#ending ?? { state: 'completed' as const }) };
    const endedMs = this.#now;
    const change = defined<StateChange>({ state, endedMs, error });
    const ended: Broadcast = { ...this.broadcast, ...change };
    const counts = store.counts(this.#id);
    store.change(this.#id, change, eventsOf(ended, state === 'failed' ? 'failed' : 'complete', counts));
    this.broadcast = ended;
    this.#isOver = true;
    const { numbers, success, failed, attempts } = counts;
    log.info('broadcast.ended', { broadcastId: this.#id, state, count: numbers, success, failed, attempts });
    this.#place.over(this.#id);
  }

  /** What breaks here breaks nothing else, and is tried again. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.log.error('broadcast.broken', { broadcastId: this.#id, error });
      this.#ahead = [];
      this.#lane.hasWork = false;
      if (!this.#isClosed && !this.#isOver) this.#wakeAt(this.#now + BREATHER_MS);
    }
  }
}
