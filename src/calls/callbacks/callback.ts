/**
 * A place in a queue that is kept for somebody who has hung up, and is called back when it is first. Neighbours:
 * `callbacks.ts` keeps and dials them, `conferences/queues.ts` says whose turn it is.
 */
import type { Delivery } from '../../core/delivery.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import type { Person } from '../../core/person.ts';

export interface Callback {
  callbackId: string;
  projectId: string;
  queue: string;
  /** The number that is called, and what it is shown. */
  to: string;
  from: string;
  /** How the number may begin; absent: see `callback-targets.ts`. */
  allow?: readonly string[];
  /** The call that asked for it. */
  callId: string;
  /** What the person who answers goes through; its `queue` takes the place up. */
  flow: string;
  input: JsonObject;
  agents: readonly string[];
  priority: number;
  enteredMs: number;
  attempts: number;
  maxAttempts: number;
  pauseMs: number;
  ringTimeoutMs: number;
  /** Opening hours outside of which nobody is called. */
  hours?: JsonObject;
  notBeforeMs: number;
  /** Given up then. */
  untilMs: number;
  /** Where the end is reported. */
  eventUrl?: string;
  ownerRef?: string;
}

/**
 * How it ended. `left`: called back, and gone before an agent; `no_answer`: as often as it was to be tried; `refused`: it
 * may not be called, or cannot be.
 */
export const CALLBACK_ENDS = [
  ...(['connected', 'left', 'called_again', 'no_answer', 'expired', 'refused', 'deleted'] as const),
];
export type CallbackEnd = (typeof CALLBACK_ENDS)[number];

/** Why no place is kept. */
export type NoCallback =
  | 'no_number'
  | 'not_callable'
  | 'do_not_call'
  | 'not_presentable'
  | 'wrong_order'
  | 'too_many'
  | 'unavailable';

/** What a caller in a queue asks for; the step has checked and filled in the order. */
export interface AskedCallback {
  projectId: string;
  callId: string;
  queue: string;
  agents: readonly string[];
  priority: number;
  enteredMs: number;
  eventUrl: string | undefined;
  ownerRef: string | undefined;
  order: JsonObject;
}

export type KeptCallback = { callback: Callback; isNew: boolean } | { reason: NoCallback };

/** What a queue asks of the one who calls back. */
export interface CallbackDesk {
  keep(asked: AskedCallback): Promise<KeptCallback>;
  /** Milliseconds until it may be called; 0: now; infinite: not by this process. */
  readyInMs(callbackId: string): number;
  /** An agent is kept free for it. */
  turn(callbackId: string): void;
  /** The person is on the phone, and in the queue. */
  taken(callbackId: string): void;
  over(callbackId: string, end: CallbackEnd): void;
}

export interface CallbackStore {
  /** All, in the order in which they were kept. */
  list(): Promise<Callback[]>;
  /** Durable when it resolves; so is `remove`. */
  put(callback: Callback): Promise<void>;
  /** `events`: written with it. */
  remove(callbackId: string, events: readonly Delivery[]): Promise<void>;
  /** Where several nodes share it: each calls those of the queues that have their home there. */
  shared?: SharedCallbacks;
}

export interface SharedCallbacks {
  /** Those in which somebody is to be called back. */
  projects(): Promise<string[]>;
  isKept(callbackId: string): Promise<boolean>;
  /** Leaves nothing of somebody. */
  forget(person: Person): Promise<void>;
}

/** The event of its end. */
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
