/**
 * Callbacks for callers who hung up and kept their queue position. When the position is first and an agent is free, the
 * queue reserves that agent and the number is called; the person who answers goes through a flow whose `queue` step
 * takes over the position. The person is called before the agent, so that no agent waits for a number that does not
 * answer.
 *
 * Invariants
 *  - A callback is stored before it is confirmed to the caller, and is removed from the store before its end is
 *    reported.
 *  - An attempt is stored before the number is dialled: after a crash it is not repeated at once.
 *  - A number has one position in a queue.
 *  - A number is not called if it is on the do-not-call list, has no route, or is not allowed by the flow or the
 *    project (`callback-targets.ts`); this is checked when the callback is created and before each attempt.
 */
import { callerIdProblem, destinationProblem } from '../../../base/core/address-syntax.ts';
import { NORMAL_CLEARING } from '../../../base/core/causes.ts';
import type { Timer } from '../../../base/core/clock.ts';
import type { DataSubject } from '../../../base/core/data-subject.ts';
import { Tally } from '../../../base/core/figures.ts';
import { inOrder } from '../../../base/core/in-order.ts';
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { CallingWindow } from '../broadcast/calling-window.ts';
import type { DoNotCall } from '../broadcast/do-not-call.ts';
import { CallError, type CallErrorCode } from '../call-error.ts';
import { type CallParts, mayPresent } from '../call-parts.ts';
import {
  type AskedCallback,
  CALLBACK_ENDS,
  type Callback,
  type CallbackDesk,
  type CallbackEnd,
  type CallbackStore,
  callbackDeliveries,
  type KeptCallback,
  type NoCallback,
} from '../conferences/callback.ts';
import { placeCall } from '../control/place-call.ts';
import { phoneKey } from '../numbers/phone-key.ts';
import { CallbackLimits } from './callback-limits.ts';
import { mayBeCalledBack } from './callback-targets.ts';

/** Interval of checks while a temporary condition delays the call. */
const LOOKS_AGAIN_MS = 2000;
/** Errors after which the call may be placed later. */
const NOT_NOW: ReadonlySet<CallErrorCode> = new Set<CallErrorCode>([
  ...(['overloaded', 'store_failing', 'project_full', 'too_many_requests'] as const),
]);

/** The part of the queues that callbacks use. */
interface QueuePlaces {
  restore(callback: Callback): void;
  /** Assigns the position to this call, or to none. */
  dialled(callbackId: string, callId: string | undefined): void;
  tell(memberId: string, name: string): void;
  exit(memberId: string): void;
}

export interface CallbackParts extends CallParts {
  store: CallbackStore;
  places: QueuePlaces;
  doNotCall: Pick<DoNotCall, 'has'>;
}

interface Known {
  callback: Callback;
  window: CallingWindow;
  expiry: Timer | undefined;
  /** The attempt in progress. */
  callId: string | undefined;
  /** True while the permission to call is being checked. */
  isChecked: boolean;
  /** True if the person is in the queue. */
  isTaken: boolean;
}

export class Callbacks implements CallbackDesk {
  readonly ends = new Tally<CallbackEnd>(CALLBACK_ENDS);
  readonly #parts: CallbackParts;
  readonly #known = new Map<string, Known>();
  /** Serialises writes, so that a callback is never written after its end. */
  readonly #write = inOrder();
  /** Serialises requests, so that a number gets one position. */
  readonly #ask = inOrder();
  readonly #limits: CallbackLimits;
  #isOpen = false;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
    this.#limits = new CallbackLimits(parts.clock);
  }

  /**
   * Loads callbacks of an earlier process and starts calling. In a cluster, each node does so for the queues that it
   * owns.
   */
  async start(): Promise<void> {
    this.#isOpen = true;
    if (!this.#parts.store.shared) await this.takeUp(() => true);
  }

  /** Loads the callbacks of these projects, whose queues this node owns now. */
  takeUp(isMine: (projectId: string) => boolean): Promise<void> {
    return this.#ask(async () => {
      const kept = await this.#parts.store.list();
      const mine = kept.filter(({ callbackId, projectId }) => isMine(projectId) && !this.#known.has(callbackId));
      for (const callback of mine) {
        // The process ended during the last attempt, whose outcome is unknown.
        const attempts = Math.min(callback.attempts, callback.maxAttempts - 1);
        this.#add({ ...callback, attempts });
        this.#parts.places.restore(callback);
      }
      if (mine.length > 0) this.#parts.log.info('callbacks.recovered', { count: mine.length });
    });
  }

  /** Drops the callbacks of projects whose queues another node owns now. */
  letGo(isTheirs: (projectId: string) => boolean): void {
    for (const { callback } of [...this.#known.values()]) {
      if (isTheirs(callback.projectId)) this.#unlearn(callback.callbackId);
    }
  }

  /** Projects with pending callbacks, on any node. */
  projects(): Promise<string[]> {
    return this.#parts.store.shared?.projects() ?? Promise.resolve([]);
  }

  /** Ends calling; stored callbacks remain for the next start. */
  close(): void {
    this.#isOpen = false;
    for (const { expiry } of this.#known.values()) expiry?.cancel();
  }

  /** Number of waiting callbacks and of those being called, for metrics. */
  get figures(): { waiting: number; calling: number } {
    const calling = [...this.#known.values()].filter(({ callId }) => callId !== undefined).length;
    return { waiting: this.#known.size - calling, calling };
  }

  find(callbackId: string): { callback: Callback; isCalling: boolean } | undefined {
    const known = this.#known.get(callbackId);
    return known && { callback: known.callback, isCalling: known.callId !== undefined };
  }

  /**
   * Deletes a callback and hangs up its pending call. Throws `unknown_callback`, also for a callback of another
   * project.
   */
  async delete(projectId: string, callbackId: string): Promise<void> {
    const known = this.#known.get(callbackId);
    if (known?.callback.projectId !== projectId || known.isTaken)
      throw new CallError('unknown_callback', 'there is no such callback');
    await this.#drop(known, 'deleted');
  }

  /** Drops the callbacks of this person from memory; the stored rows are deleted with the person's other data. */
  async forget(person: DataSubject): Promise<void> {
    for (const [callbackId, { callback }] of this.#known) {
      if (person.isIn(JSON.stringify(callback))) this.#unlearn(callbackId);
    }
    // A write in progress is completed first, so that its row is deleted too.
    await this.#write(async () => this.#parts.store.shared?.forget(person));
  }

  /** Drops the callback from memory without ending it. */
  #unlearn(callbackId: string): void {
    this.#known.get(callbackId)?.expiry?.cancel();
    this.#known.delete(callbackId);
    this.#parts.places.exit(callbackId);
  }

  // Interface of the queues

  keep(asked: AskedCallback): Promise<KeptCallback> {
    return this.#ask(() => this.#keep(asked));
  }

  async #keep(asked: AskedCallback): Promise<KeptCallback> {
    const { store, log, ids } = this.#parts;
    const made = await this.#callbackOf(asked).catch((error): NoCallback => {
      log.error('callback.not_kept', { queue: asked.queue, error });
      return 'unavailable';
    });
    if (typeof made === 'string') return { reason: made };
    const key = phoneKey(made.to);
    const own = [...this.#known.values()].flatMap(({ callback, isTaken }) =>
      callback.projectId === made.projectId && !isTaken ? [callback] : [],
    );
    const older = own.find(({ queue, to }) => queue === made.queue && phoneKey(to) === key);
    if (older) return { callback: older, isNew: false };
    if (this.#limits.isReached(made, { total: this.#known.size, own })) return { reason: 'too_many' };
    const callback: Callback = { callbackId: ids.next('callback'), ...made };
    try {
      await this.#write(() => store.put(callback));
    } catch (error) {
      log.error('callback.not_kept', { queue: made.queue, error });
      return { reason: 'unavailable' };
    }
    this.#add(callback);
    this.#limits.count(callback);
    log.info('callback.kept', { callbackId: callback.callbackId, queue: callback.queue, callId: callback.callId });
    return { callback, isNew: true };
  }

  readyInMs(callbackId: string): number {
    const known = this.#known.get(callbackId);
    const { clock, supervisor, isReady } = this.#parts;
    const nowMs = clock.now();
    // The queue asks again at the next start, and keeps no timer until then.
    if (!this.#isOpen) return Number.POSITIVE_INFINITY;
    if (!known) return LOOKS_AGAIN_MS;
    if (known.callId !== undefined) return 0;
    const { callback, window } = known;
    if (nowMs < callback.notBeforeMs) return Math.min(callback.notBeforeMs - nowMs, callback.pauseMs);
    if (window.at(nowMs) !== 'open') return window.looksAgainMs(nowMs) - nowMs;
    // Do not call back while the original call is active.
    const isHeld = supervisor.view(callback.callId) !== undefined || isReady?.() === false;
    return isHeld || !this.#hasPlace(callback.projectId) ? LOOKS_AGAIN_MS : 0;
  }

  #hasPlace(projectId: string): boolean {
    const { capacity } = this.#parts;
    return !capacity.problem({ projectId, direction: 'outbound' }) && capacity.waitMs(projectId) === 0;
  }

  turn(callbackId: string): void {
    const known = this.#known.get(callbackId);
    if (!known || known.callId !== undefined) return;
    if (this.readyInMs(callbackId) > 0) this.#parts.places.tell(callbackId, 'agent_free');
    else void this.#call(known);
  }

  /** Checks the callback and dials it. */
  async #call(known: Known): Promise<void> {
    if (known.isChecked) return;
    known.isChecked = true;
    const { callbackId } = known.callback;
    try {
      // Another node has deleted the person's data.
      if ((await this.#parts.store.shared?.isKept(callbackId)) === false) return this.#unlearn(callbackId);
      if (await this.#isOnPhone(known.callback)) return this.#callLater(callbackId);
      const problem = await this.#problem(known.callback);
      // The callback may have ended or been taken over during the checks.
      if (this.#known.get(callbackId) !== known || known.isTaken || known.callId !== undefined) return;
      if (problem !== undefined) await this.#drop(known, 'refused');
      else void this.#dial(known);
    } catch (error) {
      this.#parts.log.warn('callback.call_failed', { callbackId, error });
      this.#callLater(callbackId);
    } finally {
      known.isChecked = false;
    }
  }

  #callLater(callbackId: string): void {
    if (this.#isOpen) this.#parts.clock.after(LOOKS_AGAIN_MS, () => this.#parts.places.tell(callbackId, 'agent_free'));
  }

  /** True if the call that requested the callback is active, on any node. */
  async #isOnPhone({ callId }: Callback): Promise<boolean> {
    const record = await this.#parts.callStore.call(callId);
    return record !== undefined && record.endedMs === undefined;
  }

  taken(callbackId: string): void {
    const known = this.#known.get(callbackId);
    if (known) known.isTaken = true;
    known?.expiry?.cancel();
  }

  over(callbackId: string, end: CallbackEnd): void {
    void this.#end(callbackId, end);
  }

  /** Resolves when the end is written, or the write has failed. */
  async #end(callbackId: string, end: CallbackEnd): Promise<void> {
    const known = this.#known.get(callbackId);
    if (!known) return;
    const { store, log, clock, ids, places } = this.#parts;
    this.#known.delete(callbackId);
    known.expiry?.cancel();
    const { callback } = known;
    const events = callbackDeliveries(callback, end, { nextId: () => ids.next('event'), nowMs: clock.now() });
    const written = this.#write(() => store.remove(callbackId, events)).catch((error) => {
      // The next start finds the callback again and ends it.
      log.error('callback.not_removed', { callbackId, error });
    });
    this.ends.add(end);
    log.info('callback.ended', { callbackId, queue: callback.queue, reason: end, attempts: callback.attempts });
    places.exit(callbackId);
    await written;
  }

  // Calling

  #add(callback: Callback): void {
    const { clock, schedules } = this.#parts;
    const known: Known = {
      callback,
      window: new CallingWindow(callback.hours, schedules),
      expiry: undefined,
      callId: undefined,
      isChecked: false,
      isTaken: false,
    };
    this.#known.set(callback.callbackId, known);
    known.expiry = clock.after(Math.max(0, callback.untilMs - clock.now()), () => {
      // An attempt in progress is the last one.
      if (known.callId === undefined) this.over(callback.callbackId, 'expired');
    });
  }

  /** Ends the callback and hangs up its pending call. */
  async #drop({ callback, callId }: Known, end: CallbackEnd): Promise<void> {
    const written = this.#end(callback.callbackId, end);
    if (callId !== undefined)
      void this.#parts.supervisor.command(callId, { type: 'hangup', cause: NORMAL_CLEARING.code });
    await written;
  }

  async #dial(known: Known): Promise<void> {
    const { ids, clock, store, places, log, supervisor } = this.#parts;
    const { callback } = known;
    const { callbackId, projectId, from, to, flow, input, ringTimeoutMs, eventUrl, ownerRef } = callback;
    const callId = ids.next('call');
    known.callId = callId;
    places.dialled(callbackId, callId);
    known.callback = { ...callback, attempts: callback.attempts + 1, notBeforeMs: clock.now() + callback.pauseMs };
    try {
      const { callback: counted } = known;
      await this.#write(() => store.put(counted));
      if (this.#known.get(callbackId) !== known) return;
      const order = { callId, projectId, from, to, ringTimeoutMs, eventUrl, ownerRef };
      await placeCall(defined({ ...order, action: { type: 'flow', flow, input } as const }), this.#parts);
    } catch (error) {
      log.warn('callback.call_failed', { callbackId, callId, error });
      const isForGood = error instanceof CallError && !NOT_NOW.has(error.code);
      if (isForGood) return this.#drop(known, 'refused');
      // Internal error: the attempt does not count.
      known.callback = { ...known.callback, attempts: callback.attempts };
      return this.#callEnded(known);
    }
    await supervisor.ended(callId);
    this.#callEnded(known);
  }

  /** The call is over. If the callback still exists, the person did not enter the queue. */
  #callEnded(known: Known): void {
    const { callbackId, attempts, maxAttempts, untilMs } = known.callback;
    if (this.#known.get(callbackId) !== known) return;
    known.callId = undefined;
    this.#parts.places.dialled(callbackId, undefined);
    if (attempts >= maxAttempts) this.over(callbackId, 'no_answer');
    else if (untilMs <= this.#parts.clock.now()) this.over(callbackId, 'expired');
    else this.#parts.places.tell(callbackId, 'agent_free');
  }

  // Creating a callback

  async #callbackOf(asked: AskedCallback): Promise<Omit<Callback, 'callbackId'> | NoCallback> {
    const { clock } = this.#parts;
    if (!this.#isOpen) return 'unavailable';
    const { order, ...place } = asked;
    const { to, from, flow, input, attempts, pauseMs, ringTimeoutMs, keepMs, hours, allow } = order;
    if (typeof to !== 'string' || destinationProblem(to) !== undefined) return 'no_number';
    const numbers = [attempts, pauseMs, ringTimeoutMs, keepMs].every((value) => Number.isFinite(value));
    if (hours !== undefined && !isObject(hours)) return 'wrong_order';
    if (!numbers || typeof from !== 'string' || typeof flow !== 'string') return 'wrong_order';
    const nowMs = clock.now();
    const made: Omit<Callback, 'callbackId'> = defined({
      ...{ ...place, to, from, flow, input: objectOf(input), attempts: 0, maxAttempts: Number(attempts) },
      ...{ pauseMs: Number(pauseMs), ringTimeoutMs: Number(ringTimeoutMs), hours },
      allow: Array.isArray(allow) ? allow.map(String) : undefined,
      ...{ notBeforeMs: nowMs, untilMs: nowMs + Number(keepMs) },
    });
    if (typeof new CallingWindow(made.hours, this.#parts.schedules).at(nowMs) === 'object') return 'wrong_order';
    return (await this.#problem(made)) ?? made;
  }

  /** Reason why the number must not be called; checked at creation and before each attempt. */
  async #problem({ projectId, to, allow, from, flow }: Omit<Callback, 'callbackId'>): Promise<NoCallback | undefined> {
    const { doNotCall, isRoutable, flows, numbers } = this.#parts;
    if (await doNotCall.has(projectId, to)) return 'do_not_call';
    const isAllowed = mayBeCalledBack(to, { ...(allow ? { allow } : {}), own: numbers.of(projectId) });
    if (!isRoutable(to) || !isAllowed) return 'not_callable';
    if (callerIdProblem(from) !== undefined || !mayPresent(projectId, from, this.#parts)) return 'not_presentable';
    return flows.get(flow) === undefined ? 'wrong_order' : undefined;
  }
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
