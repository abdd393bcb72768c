/**
 * The book of a call: what came in, what was decided, what went out. Observers read it, replay repeats it.
 *
 * Invariants
 *  J1 entries of one call are numbered from 1 without gaps, in the order in which they happened;
 *  J2 `in` entries are the only inputs: feeding them again gives every other entry again;
 *  J3 sensitive values are masked before an entry is made, so a journal may be shown to anyone who may see the call.
 */
import type { Cause } from '../core/causes.ts';
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegCommand, LegEvent } from '../core/leg.ts';
import type { HttpReply } from '../steps/step.ts';

/** Stands for a sensitive value; compares equal to anything in a replay. */
export const MASK = '•••';

export type Direction = 'inbound' | 'outbound';

/** The states of a call, in the words of webhooks (`docs/webhooks.md`). */
export type CallState =
  | 'initiated'
  | 'incomingcall'
  | 'ringing'
  | 'connected'
  | 'bridging'
  | 'bridged'
  | 'bridge_disconnected'
  | 'disconnected'
  | 'failed';

/** What a run takes from its mailbox. */
export type RunInput =
  | { type: 'start' }
  | { type: 'leg'; event: LegEvent }
  /** A deadline of the visit with this number has come. */
  | { type: 'deadline'; timer: number }
  | { type: 'max_duration' }
  | { type: 'http'; requestId: string; reply: HttpReply }
  | { type: 'command'; command: CallCommand }
  /** The service that ran this call stopped or died. */
  | { type: 'lost' };

/** What REST, and the answers of webhooks, ask of a live call. */
export type CallCommand =
  | { type: 'play'; playId: string; promptRef?: string; verb: 'play' | 'collect'; args: JsonObject }
  | { type: 'accept' }
  | { type: 'hangup'; cause: number }
  | { type: 'event'; name: string; data: Json }
  /** A flow by its name, or written out. */
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject };

export type CommandReply = { ok: true } | { ok: false; refusal: Refusal };

/** Why a command does not fit the state of the call; `api/` has the status, code and words of each. */
export type Refusal = 'bridged' | 'play_pending' | 'not_bridged' | 'not_accepted_here' | 'already_answered' | 'ended';

export type JournalEntry = { seq: number; atMs: number } & (
  | {
      kind: 'started';
      direction: Direction;
      from: string;
      to: string;
      flow: string;
      flowHash: string;
      input: JsonObject;
      seed: number;
      locale: string;
      env: JsonObject;
    }
  | { kind: 'in'; input: RunInput }
  | { kind: 'entered'; step: string; verb: string; visit: number; depth: number; flow: string }
  | { kind: 'rendered'; visit: number; input: Json }
  | { kind: 'command'; command: LegCommand; visit: number }
  | { kind: 'request'; requestId: string; visit: number; method: string; url: string; body?: Json }
  | { kind: 'timer'; timer: number; visit: number; afterMs: number }
  | {
      kind: 'left';
      step: string;
      verb: string;
      visit: number;
      outcome: string;
      result?: Json;
      fault?: Fault;
      /** Set when the step was a prompt asked for by REST. */
      playId?: string;
      promptRef?: string;
      sensitive?: boolean;
    }
  | { kind: 'skipped'; step: string; visit: number }
  | { kind: 'vars'; set: JsonObject }
  | { kind: 'state'; state: CallState; cause?: Cause }
  | { kind: 'refused'; command: string; refusal: Refusal }
  /** A play that was accepted for later, when the call ended before its turn came. */
  | { kind: 'unplayed'; playId: string; promptRef?: string }
  | { kind: 'notified'; event: string; body: Json }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; message: string; fields: JsonObject }
  | { kind: 'diagnostic'; code: string; message: string }
  | { kind: 'ended'; reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost'; fault?: Fault; output?: Json }
);

/** `Omit` that keeps the union apart. */
export type NewEntry = JournalEntry extends infer E
  ? E extends JournalEntry
    ? Omit<E, 'seq' | 'atMs'>
    : never
  : never;

/** One row per call: what lists, reports and recovery need without reading the journal. */
export interface CallRecord {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  state: CallState;
  flow: string;
  flowHash: string;
  startedMs: number;
  answeredMs?: number;
  endedMs?: number;
  cause?: Cause;
  eventUrl?: string;
  ownerRef?: string;
}

/** Where a run stands: enough to say what it was doing, small enough to write at every decision. */
export interface Checkpoint {
  /** Frames from the root flow to the innermost subflow. */
  frames: { flow: string; flowHash: string; at: string; vars: JsonObject }[];
  visit: number;
}
