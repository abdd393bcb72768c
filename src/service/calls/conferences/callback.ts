/**
 * A callback: a queue position that is kept for a caller who has hung up, and is called back when it is first.
 * Neighbours: `callbacks.ts` keeps and dials them, `conferences/queues.ts` decides whose turn it is.
 */

import type { DataSubject } from '../../../base/core/data-subject.ts';
import type { Delivery } from '../../../base/core/delivery.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';

export interface Callback {
  callbackId: string;
  projectId: string;
  queue: string;
  /** The number to call, and its caller ID. */
  to: string;
  from: string;
  /** Allowed prefixes of the number; absent: see `callback-targets.ts`. */
  allow?: readonly string[];
  /** The call that requested it, and its source for limits. */
  callId: string;
  source?: string;
  /** Flow for the person who answers; its `queue` step takes over the position. */
  flow: string;
  input: JsonObject;
  agents: readonly string[];
  priority: number;
  enteredMs: number;
  attempts: number;
  maxAttempts: number;
  pauseMs: number;
  ringTimeoutMs: number;
  /** Opening hours outside of which the number is not called. */
  hours?: JsonObject;
  notBeforeMs: number;
  /** Time at which the position expires. */
  untilMs: number;
  /** URL for the final event. */
  eventUrl?: string;
  ownerRef?: string;
}

/**
 * Reason of the end. `left`: called back, but hung up before an agent answered; `no_answer`: all attempts used;
 * `refused`: the number must not or cannot be called.
 */
export const CALLBACK_ENDS = [
  ...(['connected', 'left', 'called_again', 'no_answer', 'expired', 'refused', 'deleted'] as const),
];
export type CallbackEnd = (typeof CALLBACK_ENDS)[number];

/** Reason why no position is kept. */
export type NoCallback =
  | 'no_number'
  | 'not_callable'
  | 'do_not_call'
  | 'not_presentable'
  | 'wrong_order'
  | 'too_many'
  | 'unavailable';

/** Request of a caller in a queue; the step has validated the order and filled in defaults. */
export interface AskedCallback {
  projectId: string;
  callId: string;
  source: string | undefined;
  queue: string;
  agents: readonly string[];
  priority: number;
  enteredMs: number;
  eventUrl: string | undefined;
  ownerRef: string | undefined;
  order: JsonObject;
}

export type KeptCallback = { callback: Callback; isNew: boolean } | { reason: NoCallback };

/** Interface of callbacks to the queues. */
export interface CallbackDesk {
  keep(asked: AskedCallback): Promise<KeptCallback>;
  /** Milliseconds until the number may be called; 0: now; infinite: not by this process. */
  readyInMs(callbackId: string): number;
  /** The position is first, and an agent is reserved for it. */
  turn(callbackId: string): void;
  /** The person has answered and entered the queue. */
  taken(callbackId: string): void;
  over(callbackId: string, end: CallbackEnd): void;
}

export interface CallbackStore {
  /** All callbacks, in the order in which they were created. */
  list(): Promise<Callback[]>;
  /** Durable when it resolves, as is `remove`. */
  put(callback: Callback): Promise<void>;
  /** `events` are written in the same transaction. */
  remove(callbackId: string, events: readonly Delivery[]): Promise<void>;
  /** Present if several nodes share the store: each node calls for the queues that it owns. */
  shared?: SharedCallbacks;
}

export interface SharedCallbacks {
  /** Projects with pending callbacks. */
  projects(): Promise<string[]>;
  isKept(callbackId: string): Promise<boolean>;
  /** Deletes all callbacks of this person. */
  forget(person: DataSubject): Promise<void>;
}

/** Final event of a callback. */
export function callbackDeliveries(
  { callbackId, projectId, queue, from, to, callId, attempts, eventUrl, ownerRef }: Callback,
  end: CallbackEnd,
  { nextId, nowMs }: { nextId(): string; nowMs: number },
): Delivery[] {
  if (eventUrl === undefined) return [];
  const payload = defined<JsonObject>({
    ...{ voice_id: callId, state: 'queue_callback_ended', queue, callback_id: callbackId, reason: end },
    ...{ from, to, attempts, owner_ref: ownerRef, timestamp: new Date(nowMs).toISOString() },
  });
  return [{ id: nextId(), projectId, orderKey: callbackId, url: eventUrl, payload, createdMs: nowMs }];
}
