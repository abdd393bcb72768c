/**
 * Runs one broadcast: reads ahead the numbers that are due, dials them when the limiter allows it, writes their
 * results, and ends the broadcast. Neighbours: `fair-share-limiter.ts` decides whose turn it is, `dialler.ts` keeps the
 * runs, `broadcast-calls.ts` the calls, `broadcast-lifecycle.ts` writes the state, `read-ahead.ts` and `number-results.ts`
 * read and write numbers, `retry.ts` judges calls, `recover-broadcasts.ts` settles what an earlier process left unfinished.
 *
 * Invariants
 *  R1 A number is claimed in the store before its call begins. When the call is over, the number has a result or is
 *     queued again: a write that fails is repeated until it succeeds.
 *  - Only the numbers that are dialled within about a second, and those being called, are in memory.
 *  R3 An ending broadcast dials no more numbers. It ends exactly once, when its last call is over and no number is
 *     queued.
 *  R4 The store may answer late, and a row that was read may be stale: only a claim decides. A number whose claim
 *     completes after a stop is released and settled.
 */
import { mayPresent } from '../call-parts.ts';
import type { Broadcast, NumberRow } from './broadcast.ts';
import { BroadcastCalls, type CalledNumber } from './broadcast-calls.ts';
import { type BroadcastEnd, BroadcastLifecycle } from './broadcast-lifecycle.ts';
import type { BroadcastParts } from './broadcasts.ts';
import { skipReason } from './dial-order.ts';
import type { FairShareLimiter } from './fair-share-limiter.ts';
import { NumberResults, RETRY_MS } from './number-results.ts';
import { endsOrder } from './placed-order.ts';
import type { BroadcastProgram } from './program.ts';
import { ReadAhead } from './read-ahead.ts';
import { RepeatedRun } from './repeated-run.ts';
import { type EndedCall, resultOf } from './retry.ts';
import { settleForgotten, settleQueued } from './settle-numbers.ts';
import { WakeUp } from './wake-up.ts';

/** The dialler's side of a run. */
export interface RunControl {
  limiter: FairShareLimiter;
  /** Maximum numbers to read at once. After these are dialled, numbers whose retry is due come first. */
  readAhead: number;
  /** The granted turn led to no call. */
  onUnused(): void;
  /** The granted turn led to a call. */
  onDialled(): void;
  onEnd(): void;
}

export class BroadcastRun {
  /** Numbers that wait for their first or next call. */
  queued: number;
  readonly #parts: BroadcastParts;
  readonly #control: RunControl;
  readonly #ahead: ReadAhead;
  readonly #results: NumberResults;
  readonly #live: BroadcastCalls;
  readonly #lifecycle: BroadcastLifecycle;
  /** Numbers that are about to be claimed. */
  readonly #pending = new Set<number>();
  readonly #search = new RepeatedRun();
  readonly #wakeUp: WakeUp;
  #ending: BroadcastEnd | undefined;
  #isOver = false;
  #isPaused = false;
  #isClosed = false;

  /**
   * `queued`: count of numbers that wait. `program`: absent if the order can no longer be carried out; the broadcast
   * must be ended then.
   */
  constructor(
    { broadcast, program, queued }: { broadcast: Broadcast; program: BroadcastProgram | undefined; queued: number },
    parts: BroadcastParts,
    control: RunControl,
  ) {
    this.#lifecycle = new BroadcastLifecycle(broadcast, parts);
    this.queued = queued;
    this.#parts = parts;
    this.#control = control;
    this.#wakeUp = new WakeUp(parts.clock, () => this.start());
    const { order } = broadcast;
    const [most, pending] = [control.readAhead, this.#pending];
    this.#ahead = new ReadAhead({ order, parts, most, pending, mayDial: () => this.#mayDial() });
    this.#live = new BroadcastCalls({ order, program, parts, onEnd: (call, number) => this.#callEnded(call, number) });
    this.#results = new NumberResults({
      ...{ broadcastId: order.broadcastId, parts },
      isEnding: () => this.#ending !== undefined,
      isClosed: () => this.#isClosed,
      onWritten: (callId, againMs) => this.#resultWritten(callId, againMs),
    });
  }

  get broadcast(): Broadcast {
    return this.#lifecycle.broadcast;
  }

  get callIds(): Iterable<string> {
    return this.#live.callIds;
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  /** Numbers that were read and may be dialled now. */
  get atHand(): number {
    return this.#ahead.count;
  }

  /** Looks for numbers to dial, now or later. */
  start(): void {
    if (this.#ending) void this.#finishIfOver();
    else void this.#findWork();
  }

  /** Dials one number, because it is this broadcast's turn. False if none is available in memory. */
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
      const isChanged = await this.#lifecycle.stop(hangUp);
      // The broadcast ended meanwhile, or another stop was written first.
      if (!isChanged || this.#isOver || this.#ending) return this.#isOver ? undefined : this.stop({ hangUp });
    }
    this.#lifecycle.broadcast = { ...this.broadcast, state: 'stopped' };
    this.#parts.log.info('broadcast.stopping', { broadcastId: this.#id, liveCalls: this.liveCalls });
    await this.#startEnding({ state: 'stopped' }, hangUp);
  }

  /** Settles these queued numbers as forgotten; they are never called. */
  async forget(numbers: readonly number[]): Promise<void> {
    this.#ahead.letGo();
    await settleForgotten(this.#id, { ...this.#parts, numbers }, () => this.queued--);
    this.start();
  }

  /** Ends the broadcast as failed. */
  async fail(error: string): Promise<void> {
    if (this.#isOver || this.#ending) return;
    this.#parts.log.warn('broadcast.failed', { broadcastId: this.#id, error });
    await this.#startEnding({ state: 'failed', error }, false);
  }

  /** Applies the state that all nodes share. Undefined if the broadcast is over. */
  follow(found: Broadcast | undefined): void {
    if (this.#isOver) return;
    if (found) this.#lifecycle.broadcast = found;
    if (found?.hangUp) this.#live.hangUp();
    if (this.#isClosed) return;
    if (found?.state === 'stopped' && !this.#ending) void this.stop({ hangUp: false });
    else if (found === undefined && this.#live.size === 0 && this.#pending.size === 0) {
      this.#isOver = true;
      this.#stopDialling();
      this.#control.onEnd();
    } else if (this.#ending || !this.#limiter.hasWork) this.start();
  }

  /** Suspends or resumes dialling. Live calls still get their result. */
  pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused || this.#isOver || this.#isClosed) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#stopDialling();
    else this.start();
  }

  /** Ends dialling on this node. Live calls still get their result. */
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

  async #startEnding(ending: BroadcastEnd, hangUp: boolean): Promise<void> {
    this.#ending = ending;
    this.#stopDialling();
    if (hangUp) this.#live.hangUp();
    await this.#settleQueued();
  }

  async #settleQueued(): Promise<void> {
    try {
      await settleQueued(this.#id, this.#parts, (count) => {
        this.queued -= count;
      });
    } catch (error) {
      this.#parts.log.error('broadcast.not_written', { broadcastId: this.#id, error });
      if (!this.#isClosed) this.#parts.clock.after(RETRY_MS, () => void this.#settleQueued());
      return;
    }
    await this.#finishIfOver();
  }

  #stopDialling(): void {
    this.#ahead.letGo();
    this.#wakeUp.cancel();
    this.#limiter.hasWork = false;
  }

  async #hangUpAll(): Promise<void> {
    this.#live.hangUp();
    if (!this.#parts.gate || this.broadcast.hangUp) return;
    await this.#lifecycle.stop(true);
  }

  /** Searches for numbers. Searches do not overlap; a request during a search repeats it. */
  async #findWork(): Promise<void> {
    if (this.#search.isRunning) {
      this.#search.repeat();
      return;
    }
    // The broadcast keeps its turn and its share during the search.
    this.#limiter.hold();
    const isUseful = (): boolean => this.#ahead.count === 0 && this.#mayDial();
    await this.#guarded(() => this.#search.run(() => this.#read(), isUseful));
    this.#limiter.hasWork = this.#ahead.count > 0 && this.#mayDial();
    this.#limiter.letGo();
  }

  /** Reads numbers to dial. If there are none, schedules the next search or ends the broadcast. */
  async #read(): Promise<void> {
    if (!this.#mayDial() || this.#ahead.count > 0) return;
    const idle = await this.#ahead.read();
    if (idle === undefined) return;
    if (idle === 'empty') await this.#finishIfOver();
    else if ('problem' in idle) void this.fail(idle.problem);
    else this.#wakeAt(idle.untilMs);
  }

  /** Checked before each call: the number or the project may have been removed since the broadcast began. */
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
    // A concurrent search excluded this number, and may have missed those due after it.
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

  /** R1. False if no call was made. */
  async #dial(row: NumberRow): Promise<boolean> {
    const { store, ids } = this.#parts;
    const callId = ids.next('call');
    if (this.broadcast.state === 'initiated') {
      await this.#lifecycle.run();
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
    this.#live.dial(row, callId);
    return true;
  }

  #callEnded(record: EndedCall, { number, attempts }: CalledNumber): void {
    const { order } = this.broadcast;
    const state = { attempts, stopped: this.#ending !== undefined, nowMs: this.#now };
    const result = resultOf(record, order, state);
    // Before the turn is released, so that no node calls the next number.
    const isLast = endsOrder(record, order) ? this.stop({ hangUp: false }) : undefined;
    if (isLast) void isLast.finally(() => void this.#results.write(number, result));
    else void this.#results.write(number, result);
  }

  /** R1: the result of the call is written. */
  #resultWritten(callId: string, againMs: number | undefined): void {
    this.#live.delete(callId);
    this.#limiter.release();
    if (againMs !== undefined) this.queued++;
    void this.#proceed(againMs);
  }

  async #proceed(againMs: number | undefined): Promise<void> {
    // R4: the number was queued again after the stop had settled all queued ones.
    if (this.#ending && againMs !== undefined) await this.#settleQueued();
    else if (this.#ending || this.#isClosed) await this.#finishIfOver();
    else if (this.#search.isRunning) this.#search.repeat();
    else if (againMs !== undefined && !this.#limiter.hasWork) this.#wakeAt(Math.max(againMs, this.#now + 1));
    // No number was left to dial, and this may have been the last call.
    else if (this.#live.size === 0 && !this.#limiter.hasWork && !this.#wakeUp.isSet) await this.#findWork();
  }

  async #finishIfOver(): Promise<void> {
    await this.#guarded(() => this.#lifecycle.afterChanges(() => this.#finish()));
  }

  async #finish(): Promise<void> {
    if (this.#isOver || this.#live.size > 0 || this.#pending.size > 0) return;
    const counts = await this.#parts.store.counts(this.#id);
    if (counts.queued > 0 || counts.calling > 0 || this.#live.size > 0 || this.#pending.size > 0) return;
    await this.#lifecycle.end(this.#ending ?? { state: 'completed' }, counts);
    this.#isOver = true;
    this.#control.onEnd();
  }

  /** Contains errors to this broadcast and schedules another attempt. False if an error was thrown. */
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
