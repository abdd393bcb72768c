/**
 * A broadcast: one order that calls many numbers, each with a call of its own. What it is made of, in our own words.
 * Neighbours: `broadcast-store.ts` keeps it, `broadcasts.ts` is what the API asks, `dialler.ts` carries it out.
 */
import type { Cause } from '../../core/causes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { SipHeaders } from '../../core/sip-headers.ts';
import type { CallAction } from '../call-action.ts';
import type { PlayOrder } from '../play-order.ts';

/**
 * `initiated` until the first number is dialled, `running`, then one of the rest. `stopped` may still have calls that go on;
 * it is over when `endedMs` is set.
 */
export type BroadcastState = 'initiated' | 'running' | 'completed' | 'stopped' | 'failed';

/** What was asked for. Kept as it is, so that it can be carried on after a restart. */
export interface BroadcastOrder {
  /** `app_instance` of the API. */
  broadcastId: string;
  projectId: string;
  /** `application_name`. */
  name: string;
  from: string;
  /** SIP headers of each INVITE. */
  headers?: SipHeaders;
  ownerRef?: string;
  /** Receives the beginning and the end. */
  eventUrl?: string;
  /** Receives the events of each call. */
  callHandlerUrl?: string;
  /** What happens when somebody answers; without, the call waits for commands. A flow gets the input of its number too. */
  action?: CallAction;
  autoRecord: boolean;
  detection?: DetectionOrder;
  pacing: Pacing;
  retry: RetryPolicy;
  /** Opening hours as flows write them (`core/opening-hours.ts`), or the name of a schedule; absent: at any time. */
  window?: string | JsonObject;
  /** Milliseconds. */
  ringTimeoutMs: number;
  /** How long an answered call waits for a command once it has nothing to do; 0: not at all. */
  idleTimeoutMs: number;
  /**
   * Whether a number that was being called when the service died is called again. It may have answered in that moment: it
   * is settled as failed unless the order says that being called twice is better than not at all.
   */
  redialLost: boolean;
}

export interface Pacing {
  /** Calls started per second; absent, with `maxConcurrent` too: it shares what its project has. */
  callsPerSecond?: number;
  maxConcurrent?: number;
}

/** Why a call came to nothing, as far as calling again depends on it. */
export type NegativeOutcome = 'busy' | 'no_answer' | 'declined' | 'unreachable';

export type RetryPolicy = Readonly<Record<NegativeOutcome, RetryRule>>;

export interface RetryRule {
  /** How many more calls after the first; 0: none. */
  retries: number;
  intervalMs: number;
}

export interface DetectionOrder {
  /** How long the greeting is listened to. */
  timeoutMs: number;
  /** How long the end of a machine's greeting is waited for before something is said to it; 0: not at all. */
  awaitBeepMs: number;
  /** What a machine gets; `hang_up`: nothing, `same`: what a person gets. */
  onMachine: 'hang_up' | 'same' | { play: PlayOrder } | { flow: string | JsonObject; input: JsonObject };
}

/** A number to call. `phone` is a number, a SIP URI or `user:NAME`, as it was written. */
export interface Callee {
  phone: string;
  /** Input of the flow, beside that of the order. */
  input?: JsonObject;
}

export interface Broadcast {
  order: BroadcastOrder;
  state: BroadcastState;
  createdMs: number;
  startedMs?: number;
  endedMs?: number;
  /** Why it failed. */
  error?: string;
  /** Of one that was stopped, where several nodes share it: its calls end, too. */
  hangUp?: true;
  numbers: number;
}

/** Why a number has its result, in the words of the API: `success`, `AMD`, `Busy`, else those of Q.850 and of `NEVER_CALLED`. */
export interface Result {
  code: 'success' | 'failed';
  reason: string;
  /** Q.850 value; absent where there was no call. */
  cause?: number;
}

/** Reasons of numbers that were not called at all, or not as often as they might have been. */
export const RESULT_REASONS = {
  stopped: 'Broadcast Stopped',
  doNotCall: 'Do Not Call',
  /** Of a number whose owner was forgotten: it is not there any more. */
  forgotten: 'Forgotten',
  lost: 'Service Restarted',
} as const;

/** What became of a call, as far as its number depends on it. */
export interface Attempt {
  callId: string;
  endedMs: number;
  answeredMs?: number;
  answeredBy?: 'human' | 'machine' | 'fax' | 'unknown';
  cause: Cause;
  output?: Json;
}

/** `queued`: waits for its first or next call; `calling`: there is a call; `done`: has its result, for ever. */
export type NumberState = 'queued' | 'calling' | 'done';

export interface NumberRow {
  /** From 1, in the order in which they were given. */
  number: number;
  phone: string;
  /** Of those that are not `done`: it may say much of somebody, and is of no use any more. */
  input?: JsonObject;
  state: NumberState;
  /** Calls made so far, the one that goes on included. */
  attempts: number;
  /** Not to be called before; of `queued` ones. */
  dueMs: number;
  /** Of the last call. */
  callId?: string;
  /** Which node calls it, where several share a broadcast; only `calling` says it. */
  node?: string;
  /** Of `done` ones; of `queued` ones what the last call came to. */
  result?: Result;
  answeredMs?: number;
  endedMs?: number;
  answeredBy?: Attempt['answeredBy'];
  output?: Json;
  /** Last change. */
  changedMs: number;
}

export interface Counts {
  numbers: number;
  queued: number;
  calling: number;
  done: number;
  success: number;
  failed: number;
  /** Of `done` ones. */
  reasons: Readonly<Record<string, number>>;
  /** Calls made. */
  attempts: number;
}
