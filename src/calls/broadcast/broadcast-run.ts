/**
 * One broadcast that goes on: reads ahead the numbers that are due, makes the calls when it is its turn, writes their
 * results, and ends. Neighbours: `fair-share-limiter.ts` says whose turn it is, `dialler.ts` keeps the runs, `retry.ts`
 * judges calls, `recover-broadcasts.ts` puts in order what an earlier process left behind.
 *
 * Invariants
 *  R1 a number is claimed in the store before its call begins, and has its result, or waits again, when the call is over:
 *     a write that fails is repeated until it succeeds;
 *  - only the numbers that are dialled within a second or so, and those being called, are in memory;
 *  R3 once it is ending nothing more is dialled; it ends exactly once, when its last call is over and nothing is queued.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { Timer } from '../../core/clock.ts';
import { defined } from '../../core/json.ts';
import { mayPresent } from '../call-parts.ts';
import { HANG_UP } from '../control-call.ts';
import { type DialOrder, dialOut } from '../place-call.ts';
import { type Broadcast, type NumberRow, RESULT_REASONS, type Result } from './broadcast.ts';
import type { StateChange } from './broadcast-store.ts';
import type { BroadcastParts } from './broadcasts.ts';
import { CallingWindow } from './calling-window.ts';
import type { FairShareLimiter } from './fair-share-limiter.ts';
import { phoneKey } from './phone-key.ts';
import type { BroadcastProgram } from './program.ts';
import { type CallResult, type EndedCall, resultOf, writeResult } from './retry.ts';

/** Numbers that get a result without a call, in one turn of the event loop. */
const SKIP_BATCH = 8;
/** Numbers that get their result from a stop, in one turn. */
const SETTLE_BATCH = 2000;
/** Between two attempts to write. */
const RETRY_MS = 1000;
/** The time of day is checked again after this long, because somebody may set the clock. */
const MAX_SLEEP_MS = 60_000;

const FORGOTTEN: Result = { code: 'failed', reason: RESULT_REASONS.forgotten };
const NO_ROUTE: Result = { code: 'failed', reason: 'No Route To Destination' };

interface LiveCall {
  number: number;
  /** Calls of this number, this one included. */
  attempts: number;
}

/** How the dialler drives a run. */
export interface RunControl {
  limiter: FairShareLimiter;
  /** How many numbers to read at once. After these are dialled, numbers that are due again come first. */
  readAhead: number;
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
  readonly #window: CallingWindow;
  /** The longest interval between two calls of a number. */
  readonly #maxRetryMs: number;
  readonly #live = new Map<string, LiveCall>();
  #due: NumberRow[] = [];
  #wakeUp: { timer: Timer; atMs: number } | undefined;
  #ending: { state: 'stopped' | 'failed'; error?: string } | undefined;
  #isOver = false;
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
    this.#window = new CallingWindow(broadcast.order.window, parts.schedules);
    this.#maxRetryMs = Math.max(...Object.values(broadcast.order.retry).map(({ intervalMs }) => intervalMs));
  }

  get callIds(): Iterable<string> {
    return this.#live.keys();
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  /** Finds numbers to dial, now or later. */
  start(): void {
    this.#guarded(() => {
      if (this.#ending) this.#finishIfOver();
      else this.#limiter.hasWork = this.#findWork();
    });
  }

  /** Makes one call, if there still is one to make: it is this broadcast's turn. */
  dialNext(): void {
    this.#guarded(() => {
      for (let skipped = 0; skipped < SKIP_BATCH; skipped++) {
        if (!this.#findWork()) {
          this.#limiter.hasWork = false;
          return;
        }
        if (!this.#checkCallerId()) return;
        const row = this.#due.shift()!;
        const reason = this.#skipReason(row);
        if (!reason) return this.#dial(row);
        this.#parts.store.settle(this.#id, row.number, { result: reason, atMs: this.#now });
        this.queued--;
      }
    });
  }

  /** R3. A second stop may still hang up the calls. */
  async stop({ hangUp }: { hangUp: boolean }): Promise<void> {
    if (this.#isOver) return;
    if (!this.#ending) {
      if (this.broadcast.state !== 'stopped') this.#parts.store.change(this.#id, { state: 'stopped' }, []);
      this.broadcast = { ...this.broadcast, state: 'stopped' };
      this.#parts.log.info('broadcast.stopping', { broadcastId: this.#id, liveCalls: this.liveCalls });
      await this.#beginEnd({ state: 'stopped' }, hangUp);
    } else if (hangUp) this.#hangUp();
  }

  /** These numbers wait, and are never called. */
  forget(numbers: readonly number[]): void {
    this.#due = [];
    for (const number of numbers) {
      this.#parts.store.settle(this.#id, number, { result: FORGOTTEN, atMs: this.#now });
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

  async #beginEnd(ending: { state: 'stopped' | 'failed'; error?: string }, hangUp: boolean): Promise<void> {
    this.#ending = ending;
    this.#stopDialling();
    if (hangUp) this.#hangUp();
    await this.#settleQueued();
  }

  async #settleQueued(): Promise<void> {
    try {
      while (this.#settleBatch()) await turn();
    } catch (error) {
      this.#parts.log.error('broadcast.not_written', { broadcastId: this.#id, error });
      if (!this.#isClosed) this.#parts.clock.after(RETRY_MS, () => void this.#settleQueued());
      return;
    }
    this.#guarded(() => this.#finishIfOver());
  }

  /** True: there may be more. */
  #settleBatch(): boolean {
    const end = { result: { code: 'failed', reason: RESULT_REASONS.stopped }, atMs: this.#now } as const;
    const settled = this.#parts.store.settleQueued(this.#id, { ...end, most: SETTLE_BATCH });
    this.queued -= settled;
    return settled === SETTLE_BATCH;
  }

  #stopDialling(): void {
    this.#due = [];
    this.#wakeUp?.timer.cancel();
    this.#wakeUp = undefined;
    this.#limiter.hasWork = false;
  }

  #hangUp(): void {
    for (const callId of this.#live.keys()) void this.#parts.supervisor.command(callId, HANG_UP);
  }

  /** True: there are numbers to dial now. Otherwise it tries again when there may be some, or the broadcast has ended. */
  #findWork(): boolean {
    if (this.#ending || this.#isClosed || this.#isOver) return false;
    const { store } = this.#parts;
    const nowMs = this.#now;
    const hours = this.#window.at(nowMs);
    if (hours !== 'open') {
      this.#due = [];
      if (hours === 'closed') this.#wakeAt(this.#window.looksAgainMs(nowMs));
      else void this.fail(hours.problem);
      return false;
    }
    if (this.#due.length === 0) this.#due = store.due(this.#id, nowMs, this.#control.readAhead);
    if (this.#due.length > 0) return true;
    const dueMs = store.nextDueMs(this.#id);
    if (dueMs === undefined) this.#finishIfOver();
    else if (dueMs > nowMs + this.#maxRetryMs + 1) {
      // The clock was set back: nothing would be due until it is as late again.
      this.#due = store.due(this.#id, dueMs, this.#control.readAhead);
      return this.#due.length > 0;
    } else this.#wakeAt(Math.max(dueMs, nowMs + 1));
    return false;
  }

  /** The administrator may take the number from the project, or remove the project, while its broadcasts go on. */
  #checkCallerId(): boolean {
    const { projectId, from } = this.broadcast.order;
    if (mayPresent(projectId, from, this.#parts)) return true;
    void this.fail('its `from` is not a number of the project any more');
    return false;
  }

  #wakeAt(thenMs: number): void {
    const atMs = Math.min(thenMs, this.#now + MAX_SLEEP_MS);
    if (this.#wakeUp && this.#wakeUp.atMs <= atMs) return;
    this.#wakeUp?.timer.cancel();
    const timer = this.#parts.clock.after(atMs - this.#now, () => {
      this.#wakeUp = undefined;
      this.start();
    });
    this.#wakeUp = { timer, atMs };
  }

  /** The result of a number that is not called at all. */
  #skipReason({ phone }: NumberRow): Result | undefined {
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
    this.#limiter.take();
    try {
      const run = dialOut(this.#dialOrder(row, callId), this.#programFor(row), this.#parts);
      void run.done.then(() => this.#callEnded(run.record));
    } catch (error) {
      this.#parts.log.error('broadcast.call_failed', { broadcastId: this.#id, callId, error });
      // Through our own fault: the number is treated as after a network failure.
      this.#callEnded({ callId, endedMs: this.#now, cause: TEMPORARY_FAILURE });
    }
  }

  #dialOrder({ phone }: NumberRow, callId: string): DialOrder {
    const { broadcastId, projectId, from, headers, ringTimeoutMs, eventUrl, callHandlerUrl, ownerRef } =
      this.broadcast.order;
    return defined({
      ...{ callId, projectId, from, to: phone, ringTimeoutMs, broadcastId },
      headers,
      eventUrl: callHandlerUrl ?? eventUrl,
      ownerRef,
    });
  }

  #programFor({ input }: NumberRow) {
    const program = this.#program;
    if (!program) throw new Error('a broadcast without a program makes no calls');
    return { ...program, input: program.input(this.#parts.ids, input) };
  }

  #callEnded(record: EndedCall): void {
    const { number, attempts } = this.#live.get(record.callId)!;
    const state = { attempts, stopped: this.#ending !== undefined, nowMs: this.#now };
    this.#writeResult(number, resultOf(record, this.broadcast.order, state));
  }

  /** R1: the call is over. */
  #writeResult(number: number, ended: CallResult): void {
    const { store, log, isBuffered } = this.#parts;
    const { callId } = ended.attempt;
    // A stop may have come since the last attempt to write.
    const againMs = this.#ending ? undefined : ended.againMs;
    try {
      // The end of the broadcast is sent after that of the call.
      if (isBuffered?.(callId)) {
        this.#writeLater(number, ended);
        return;
      }
      writeResult(store, this.#id, number, { ...ended, againMs }, this.#now);
    } catch (error) {
      log.error('broadcast.not_written', { broadcastId: this.#id, callId, error });
      this.#writeLater(number, ended);
      return;
    }
    this.#live.delete(callId);
    this.#limiter.release();
    if (againMs !== undefined) this.queued++;
    this.#guarded(() => this.#proceed(againMs));
  }

  /** What cannot be written before the service stops is put in order by its next start. */
  #writeLater(number: number, ended: CallResult): void {
    if (!this.#isClosed) this.#parts.clock.after(RETRY_MS, () => this.#writeResult(number, ended));
  }

  #proceed(againMs: number | undefined): void {
    if (this.#ending || this.#isClosed) this.#finishIfOver();
    else if (againMs !== undefined && !this.#limiter.hasWork) this.#wakeAt(Math.max(againMs, this.#now + 1));
    // Nothing was left to dial, and this may have been the last call.
    else if (this.#live.size === 0 && !this.#limiter.hasWork && !this.#wakeUp) this.start();
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
    this.#control.onEnd();
  }

  /** An error here affects no other broadcast, and the work is tried again. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.log.error('broadcast.broken', { broadcastId: this.#id, error });
      this.#due = [];
      this.#limiter.hasWork = false;
      if (!this.#isClosed && !this.#isOver) this.#wakeAt(this.#now + RETRY_MS);
    }
  }
}
