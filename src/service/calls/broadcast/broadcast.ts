/**
 * Data types of a broadcast: one order that calls many numbers, each with its own call. Neighbours:
 * `broadcast-store.ts` persists it, `broadcasts.ts` serves the API, `dialler.ts` carries it out.
 */
import type { Cause } from '../../../base/core/causes.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import type { CallAction } from '../control/call-action.ts';
import type { PlayOrder } from '../prompts/play-order.ts';

/**
 * `initiated` until the first number is dialled, then `running`, then a final state. A `stopped` broadcast may still
 * have live calls; it is over when `endedMs` is set.
 */
export type BroadcastState = 'initiated' | 'running' | 'completed' | 'stopped' | 'failed';

/** The order as it was submitted. Stored unchanged, so that the broadcast can resume after a restart. */
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
  /** URL for the events of the broadcast's start and end. */
  eventUrl?: string;
  /** URL for the events of each call. */
  callHandlerUrl?: string;
  /** Action when a callee answers. Without it the call waits for commands. A flow also gets the input of its number. */
  action?: CallAction;
  autoRecord: boolean;
  detection?: DetectionOrder;
  pacing: Pacing;
  retry: RetryPolicy;
  /**
   * Opening hours in the syntax of flows (`language/flow/opening-hours.ts`), or the name of a schedule. Absent: at any
   * time.
   */
  window?: string | JsonObject;
  ringTimeoutMs: number;
  /** Time that an idle answered call waits for a command, in ms; 0: not at all. */
  idleTimeoutMs: number;
  /**
   * True if a number that was being called when the service died is called again. Default false: the callee may have
   * answered just then, so the number is settled as failed unless the order prefers two calls to none.
   */
  redialLost: boolean;
  /** Set for an order of a flow (verb `call`, `call-orders/flow-calls.ts`). */
  placed?: PlacedByFlow;
}

/** Calls that a flow placed: to one number after the other, until one of them counts. */
export interface PlacedByFlow {
  /** Nothing is dialled before. */
  startsMs: number;
  /** The call that counts: one that is answered, or one whose flow has `accepted: true` in its output. */
  until: 'answered' | 'accepted';
  /** Name by which flows of the project replace or cancel the order. */
  key?: string;
}

export interface Pacing {
  /** Calls started per second. If `maxConcurrent` is absent too, the broadcast shares the limits of its project. */
  callsPerSecond?: number;
  maxConcurrent?: number;
}

/** Failure of a call, in the classes for which retry rules exist. */
export type NegativeOutcome = 'busy' | 'no_answer' | 'declined' | 'unreachable';

export type RetryPolicy = Readonly<Record<NegativeOutcome, RetryRule>>;

export interface RetryRule {
  /** Maximum calls after the first; 0: none. */
  retries: number;
  intervalMs: number;
}

export interface DetectionOrder {
  /** Maximum time to analyse the greeting, in ms. */
  timeoutMs: number;
  /** Maximum time to wait for the end of a machine's greeting before the message, in ms; 0: not at all. */
  awaitBeepMs: number;
  /** Treatment of machines: `hang_up`, `same` as for a person, a message or a flow. */
  onMachine: 'hang_up' | 'same' | { play: PlayOrder } | { flow: string | JsonObject; input: JsonObject };
}

/** A number to call. `phone` is a number, a SIP URI or `user:NAME`, as it was submitted. */
export interface Callee {
  phone: string;
  /** Input of the flow, in addition to that of the order. */
  input?: JsonObject;
}

export interface Broadcast {
  order: BroadcastOrder;
  state: BroadcastState;
  createdMs: number;
  startedMs?: number;
  endedMs?: number;
  /** Reason of state `failed`. */
  error?: string;
  /** True if a stop also ends the live calls on all nodes that share the broadcast. */
  hangUp?: true;
  numbers: number;
}

/** Result of a number. `reason` is an API term: `success`, `AMD`, `Busy`, a Q.850 reason or one of `RESULT_REASONS`. */
export interface Result {
  code: 'success' | 'failed';
  reason: string;
  /** Q.850 value; absent without a call. */
  cause?: number;
}

/** Reasons of numbers that were not called, or not as often as the retry rules allow. */
export const RESULT_REASONS = {
  stopped: 'Broadcast Stopped',
  doNotCall: 'Do Not Call',
  /** The number was deleted with its person's data. */
  forgotten: 'Forgotten',
  lost: 'Service Restarted',
  /** The call was answered, and its flow did not report that the person accepts. */
  notAccepted: 'Not Accepted',
} as const;

/** Outcome of a call, as needed for the result of its number. */
export interface Attempt {
  callId: string;
  endedMs: number;
  answeredMs?: number;
  answeredBy?: 'human' | 'machine' | 'fax' | 'unknown';
  cause: Cause;
  output?: Json;
}

/** `queued`: waits for its first or next call; `calling`: a call is in progress; `done`: has its final result. */
export type NumberState = 'queued' | 'calling' | 'done';

export interface NumberRow {
  /** Index of the callee in the order of submission, from 1. */
  number: number;
  phone: string;
  /** Absent for `done` numbers: it may hold personal data that is no longer needed. */
  input?: JsonObject;
  state: NumberState;
  /** Calls made so far, including the current one. */
  attempts: number;
  /** Earliest time of the next call, for `queued` numbers. */
  dueMs: number;
  /** Id of the last call. */
  callId?: string;
  /** Node that is calling the number, if several share the broadcast; only for `calling`. */
  node?: string;
  /** Final result of a `done` number; of a `queued` one the result of its last call. */
  result?: Result;
  answeredMs?: number;
  endedMs?: number;
  answeredBy?: Attempt['answeredBy'];
  output?: Json;
  /** Time of the last change. */
  changedMs: number;
}

export interface Counts {
  numbers: number;
  queued: number;
  calling: number;
  done: number;
  success: number;
  failed: number;
  /** Counts of `done` numbers by reason. */
  reasons: Readonly<Record<string, number>>;
  /** Number of calls made. */
  attempts: number;
}
