/**
 * Limits guessing of room PINs per call, per caller, per source of the calls, because any number can be shown, and per
 * project over all callers. Guessing does not lock out other
 * callers: guesses are slowed down and queued behind the other checks (`../pin-queue.ts`), and callers who entered a
 * correct PIN of the project before are checked at once.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { DataSubject } from '../../../base/core/data-subject.ts';
import { WindowCounter } from '../../../base/core/window-counter.ts';
import type { VenueMember } from '../../runtime/venue.ts';
import { BoundedSet } from '../bounded-set.ts';
import { type IsRight, type PinCheck, PinQueue, type PinSource } from '../pin-queue.ts';

export type PinCaller = Pick<VenueMember, 'projectId' | 'callId' | 'from' | 'source'>;

const MAX_OF_CALL = 5;
/** Wrong PINs of a caller within the window; beyond it, one PIN is checked every twenty seconds. */
const MAX_OF_CALLER = 10;
/** Wrong PINs of a source within the window, which may have several callers. */
const MAX_OF_SOURCE = 30;
const WINDOW_MS = 600_000;
/** Wrong PINs of a project that are checked without delay. */
const MAX_OF_PROJECT = 100;
/** Maximum calls and callers in memory. */
const MAX_REMEMBERED = 10_000;

export class RoomPins {
  readonly #clock: Clock;
  readonly #wrong: WindowCounter;
  readonly #known = new BoundedSet(MAX_REMEMBERED);
  /** PIN queues by project. */
  readonly #queues = new Map<string, PinQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wrong = new WindowCounter(clock, { windowMs: WINDOW_MS, maxKeys: MAX_REMEMBERED });
  }

  /** True if this call has entered too many wrong PINs. */
  isOver({ callId }: PinCaller): boolean {
    return this.#wrong.count(callKey(callId)) >= MAX_OF_CALL;
  }

  /** Records a call that must enter a PIN and has entered none. */
  recordMissing({ callId }: PinCaller): void {
    this.#wrong.add(callKey(callId));
  }

  /** Calls `isRight` when a PIN of this caller may be checked. */
  check(caller: PinCaller, isRight: IsRight): PinCheck {
    const checked = (): boolean => {
      const passed = isRight();
      if (passed) this.#recordRight(caller);
      else this.#recordWrong(caller);
      return passed;
    };
    return this.#queueOf(caller.projectId).pass(sourceKeyOf(caller), checked, this.#kindOf(caller));
  }

  #kindOf(caller: PinCaller): PinSource {
    if (this.#known.has(callerKey(caller))) return 'known';
    const isSuspect =
      this.#wrong.count(callerKey(caller)) >= MAX_OF_CALLER || this.#wrong.count(sourceKeyOf(caller)) >= MAX_OF_SOURCE;
    return isSuspect ? 'suspect' : 'unknown';
  }

  #recordRight(caller: PinCaller): void {
    if (this.#wrong.count(callKey(caller.callId)) > 0) this.#wrong.forget((key) => key === callKey(caller.callId));
    // Callers who withhold their number cannot be told apart.
    if (/\d/.test(caller.from)) this.#known.add(callerKey(caller));
  }

  #recordWrong(caller: PinCaller): void {
    this.#known.delete(callerKey(caller));
    this.#wrong.add(callerKey(caller));
    if (caller.source !== undefined) this.#wrong.add(sourceKeyOf(caller));
    this.#wrong.add(callKey(caller.callId));
  }

  #queueOf(projectId: string): PinQueue {
    const queue = this.#queues.get(projectId) ?? new PinQueue(this.#clock, MAX_OF_PROJECT);
    this.#queues.set(projectId, queue);
    return queue;
  }

  forget(person: DataSubject): void {
    const isTheirs = (key: string): boolean => key.split('\n').some(person.isIn);
    this.#wrong.forget(isTheirs);
    this.#known.forget(isTheirs);
  }
}

const callKey = (callId: string): string => `call\n${callId}`;
const callerKey = ({ projectId, from, source = '' }: PinCaller): string => `caller\n${projectId}\n${from}\n${source}`;
/** Callers of a carrier have no source of their own, and take turns by number. */
const sourceKeyOf = (caller: PinCaller): string =>
  caller.source === undefined ? callerKey(caller) : `source\n${caller.projectId}\n${caller.source}`;
