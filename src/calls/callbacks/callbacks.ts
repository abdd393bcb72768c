/**
 * Calls people back who gave up waiting on the phone and kept their place in a queue. When the place is first and an agent
 * is free, the queue keeps that agent free, and the number is called; who answers goes through a flow, whose `queue` takes the
 * place up. The person is called before the agent, so that no agent waits for a number that does not answer.
 *
 * Invariants
 *  - a place is stored before the caller is promised anything, and is gone from the store before its end is reported;
 *  - an attempt is stored before the number is dialled: a crash repeats none at once;
 *  - a number has one place in a queue;
 *  - numbers of the do-not-call list, those that no route takes, and those that the flow or the project does not allow
 *     (`callback-targets.ts`) are not called, whenever they came to be so.
 */
import { callerIdProblem, destinationProblem } from '../../core/address-syntax.ts';
import { NORMAL_CLEARING } from '../../core/causes.ts';
import type { Timer } from '../../core/clock.ts';
import { Tally } from '../../core/figures.ts';
import { inOrder } from '../../core/in-order.ts';
import { defined, isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Person } from '../../core/person.ts';
import { CallingWindow } from '../broadcast/calling-window.ts';
import type { DoNotCall } from '../broadcast/do-not-call.ts';
import { phoneKey } from '../broadcast/phone-key.ts';
import { CallError, type CallErrorCode } from '../call-error.ts';
import { type CallParts, mayPresent } from '../call-parts.ts';
import { placeCall } from '../place-call.ts';
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
} from './callback.ts';
import { MAX_OF_RANGE, mayBeCalledBack, rangeOf } from './callback-targets.ts';

/** One caller could otherwise fill the memory with places. */
const MAX_KEPT = 10_000;
const MAX_OF_PROJECT = 2000;
/** When something that ends by itself holds a call up. */
const LOOKS_AGAIN_MS = 2000;
/** A call that is refused so may be placed later. */
const NOT_NOW: ReadonlySet<CallErrorCode> = new Set<CallErrorCode>([
  ...(['overloaded', 'store_failing', 'project_full', 'too_many_requests'] as const),
]);

/** What the desk needs of the queues. */
interface QueuePlaces {
  restore(callback: Callback): void;
  /** Its place belongs to this call, or to none. */
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
  /** The attempt that goes on. */
  callId: string | undefined;
  /** It is being asked whether it may be called. */
  isChecked: boolean;
  /** The person is in the queue. */
  isTaken: boolean;
}

export class Callbacks implements CallbackDesk {
  readonly ends = new Tally<CallbackEnd>(CALLBACK_ENDS);
  readonly #parts: CallbackParts;
  readonly #known = new Map<string, Known>();
  /** Writes of the store, so that a place is never written after its end. */
  readonly #write = inOrder();
  /** One place after the other is asked for, so that a number has one. */
  readonly #ask = inOrder();
  #isOpen = false;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier process kept, and begins to call. Of several nodes, each does where it is the home. */
  async start(): Promise<void> {
    this.#isOpen = true;
    if (!this.#parts.store.shared) await this.takeUp(() => true);
  }

  /** The queues of these projects are served here from now on. */
  takeUp(isMine: (projectId: string) => boolean): Promise<void> {
    return this.#ask(async () => {
      const kept = await this.#parts.store.list();
      const mine = kept.filter(({ callbackId, projectId }) => isMine(projectId) && !this.#known.has(callbackId));
      for (const callback of mine) {
        // The process ended in the last attempt: nobody knows how that would have ended.
        const attempts = Math.min(callback.attempts, callback.maxAttempts - 1);
        this.#add({ ...callback, attempts });
        this.#parts.places.restore(callback);
      }
      if (mine.length > 0) this.#parts.log.info('callbacks.recovered', { count: mine.length });
    });
  }

  /** They are served elsewhere. */
  letGo(isTheirs: (projectId: string) => boolean): void {
    for (const { callback } of [...this.#known.values()]) {
      if (isTheirs(callback.projectId)) this.#unlearn(callback.callbackId);
    }
  }

  /** Those in which somebody is to be called back, whichever node does. */
  projects(): Promise<string[]> {
    return this.#parts.store.shared?.projects() ?? Promise.resolve([]);
  }

  /** Calls nobody any more; what is kept stays for the next start. */
  close(): void {
    this.#isOpen = false;
    for (const { expiry } of this.#known.values()) expiry?.cancel();
  }

  /** For metrics: those that wait, and those that are being called. */
  get figures(): { waiting: number; calling: number } {
    const calling = [...this.#known.values()].filter(({ callId }) => callId !== undefined).length;
    return { waiting: this.#known.size - calling, calling };
  }

  find(callbackId: string): { callback: Callback; isCalling: boolean } | undefined {
    const known = this.#known.get(callbackId);
    return known && { callback: known.callback, isCalling: known.callId !== undefined };
  }

  /** Gives up a place; a call that is on its way is hung up. Throws `unknown_callback`, also for one of another project. */
  async delete(projectId: string, callbackId: string): Promise<void> {
    const known = this.#known.get(callbackId);
    if (known?.callback.projectId !== projectId || known.isTaken)
      throw new CallError('unknown_callback', 'there is no such callback');
    await this.#drop(known, 'deleted');
  }

  /** Leaves nothing of somebody in memory; the rows go with all others that name them. */
  async forget(person: Person): Promise<void> {
    for (const [callbackId, { callback }] of this.#known) {
      if (person.isIn(JSON.stringify(callback))) this.#unlearn(callbackId);
    }
    // What is being written is there afterwards, to be deleted with the rest.
    await this.#write(async () => this.#parts.store.shared?.forget(person));
  }

  /** Nothing of it is left in memory; it is not over. */
  #unlearn(callbackId: string): void {
    this.#known.get(callbackId)?.expiry?.cancel();
    this.#known.delete(callbackId);
    this.#parts.places.exit(callbackId);
  }

  // What queues ask

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
    const ofRange = own.filter(({ to }) => rangeOf(to) === rangeOf(made.to));
    if (this.#known.size >= MAX_KEPT || own.length >= MAX_OF_PROJECT || ofRange.length >= MAX_OF_RANGE) {
      return { reason: 'too_many' };
    }
    const callback: Callback = { callbackId: ids.next('callback'), ...made };
    try {
      await this.#write(() => store.put(callback));
    } catch (error) {
      log.error('callback.not_kept', { queue: made.queue, error });
      return { reason: 'unavailable' };
    }
    this.#add(callback);
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
    // Who is still on the phone would be busy.
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

  /** Its turn has come. */
  async #call(known: Known): Promise<void> {
    if (known.isChecked) return;
    known.isChecked = true;
    const { callbackId } = known.callback;
    try {
      // Another node was asked to forget the person.
      if ((await this.#parts.store.shared?.isKept(callbackId)) === false) return this.#unlearn(callbackId);
      if (await this.#isOnPhone(known.callback)) return this.#callLater(callbackId);
      const problem = await this.#problem(known.callback);
      // It may have been given up, or taken up, meanwhile.
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

  /** Whether the call that asked goes on, at whichever node. */
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

  /** Resolves when it is written, or cannot be. */
  async #end(callbackId: string, end: CallbackEnd): Promise<void> {
    const known = this.#known.get(callbackId);
    if (!known) return;
    const { store, log, clock, ids, places } = this.#parts;
    this.#known.delete(callbackId);
    known.expiry?.cancel();
    const { callback } = known;
    const events = callbackDeliveries(callback, end, { nextId: () => ids.next('event'), nowMs: clock.now() });
    const written = this.#write(() => store.remove(callbackId, events)).catch((error) => {
      // It is found again at the next start, and ends then.
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
      // An attempt that goes on is the last one.
      if (known.callId === undefined) this.over(callback.callbackId, 'expired');
    });
  }

  /** Ends it, and hangs up the call that is on its way. */
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
      // Through our own fault: it was no attempt.
      known.callback = { ...known.callback, attempts: callback.attempts };
      return this.#callEnded(known);
    }
    await supervisor.ended(callId);
    this.#callEnded(known);
  }

  /** The call is over; the place is still there, so that nobody came into the queue. */
  #callEnded(known: Known): void {
    const { callbackId, attempts, maxAttempts, untilMs } = known.callback;
    if (this.#known.get(callbackId) !== known) return;
    known.callId = undefined;
    this.#parts.places.dialled(callbackId, undefined);
    if (attempts >= maxAttempts) this.over(callbackId, 'no_answer');
    else if (untilMs <= this.#parts.clock.now()) this.over(callbackId, 'expired');
    else this.#parts.places.tell(callbackId, 'agent_free');
  }

  // What is asked for

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

  /** Why the number is not called: now, and when its turn has come. */
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
