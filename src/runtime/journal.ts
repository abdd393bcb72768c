/**
 * The journal of a call: its inputs, decisions and commands. Observers read it, a replay repeats it.
 *
 * Invariants
 *  J1 entries of one call are numbered from 1 without gaps, in the order in which they happened;
 *  - `in` entries are the only inputs: feeding them again gives every other entry again;
 *  - sensitive values are masked before an entry is made, so a journal may be shown to anyone who may see the call.
 */
import type { Cause } from '../core/causes.ts';
import type { Fault } from '../core/fault.ts';
import type { HangupBy } from '../core/hangup.ts';
import type { HttpReply } from '../core/http-exchange.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegCommand, LegEvent, LegQuality, LegSip, SipPeer, StreamTrack } from '../core/leg.ts';
import type { LifeId } from '../core/ownership.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import type { TraceContext } from '../core/trace-context.ts';
import type { VenueKind } from '../core/venue-kind.ts';

/** Stands for a sensitive value; compares equal to anything in a replay. */
export { MASK } from '../core/mask-url.ts';

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
export type CallInput =
  | { type: 'start' }
  /** Of the main leg, or of the party with this leg id. */
  | { type: 'leg'; event: LegEvent; leg?: string }
  /** The timer with this number has fired. */
  | { type: 'deadline'; timer: number }
  | { type: 'max_duration' }
  | { type: 'http'; requestId: string; reply: HttpReply }
  /** From REST, or from the answer of the receiver of an event. */
  | { type: 'command'; command: CallCommand; source?: CommandSource }
  /** A problem with the answer to an event, found before it was a command. */
  | { type: 'diagnosis'; code: string; message: string }
  /** An event of a conference, a queue or a room. */
  | { type: 'venue'; ticket: string; name: string; data: Json }
  /** A party of another call came to this one (attended transfer), as its step requested; without `leg`: there was none. */
  | { type: 'taken_over'; visit: number; leg?: string; to?: string }
  /** A party of this call was taken over by another call. */
  | { type: 'given_up'; leg: string }
  /** The service that ran this call stopped or died. */
  | { type: 'lost' }
  /** This life of a node goes on with the call: the one before was lost. */
  | { type: 'adopted'; by: LifeId };

/**
 * Where a command comes from, other than REST: the answer to an event (`webhook`), or the request that made the call
 * (`order`): a recording or a stream from the answer on, bridged or not.
 */
export type CommandSource = 'webhook' | 'order';

/** Commands of REST, and of the answers of webhooks, to a live call. */
export type CallCommand =
  | { type: 'play'; playId: string; promptRef?: string; verb: 'play' | 'collect'; args: JsonObject }
  | { type: 'accept' }
  | { type: 'hangup'; cause: number; headers?: SipHeaders }
  | { type: 'event'; name: string; data: Json }
  /** A flow by its name, or written out. */
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject }
  /** Connects the call with somebody else; `args` as of the verb `bridge`. */
  | { type: 'bridge'; bridgeId: string; args: JsonObject }
  /** Of a bridged call: its party is connected with somebody else; `args` as of the verb `transfer`. */
  | { type: 'transfer'; channelId: string; args: JsonObject }
  | { type: 'hold'; hold: boolean; music?: Json }
  /** `bridgeId`, of a start: the bridge with which it ends; written by the run, for those that need a bridge. */
  | { type: 'recording'; action: 'start' | 'stop' | 'pause' | 'resume'; name?: string; bridgeId?: string }
  | {
      type: 'stream';
      action: 'start';
      url: string;
      tracks: readonly StreamTrack[];
      bidirectional: boolean;
      bridgeId?: string;
    }
  | { type: 'stream'; action: 'stop' }
  /** Ends the prompt that is being played, or waits to be. */
  | { type: 'stop_play' }
  /** `args` as of the verbs; `accepts`: a call that waits to be accepted is, by the order; `after`: the call ends with it. */
  | { type: 'conference'; args: JsonObject; accepts?: true; after?: 'hang_up' }
  | { type: 'join_room'; args: JsonObject; accepts?: true; after?: 'hang_up' }
  /** Ends the step being run with one of its outcomes. */
  | { type: 'outcome'; outcome: string; set: JsonObject };

/** `id`: of the recording, the stream or the prompt that was started or ended. */
export type CommandReply = { ok: true; id?: string } | { ok: false; refusal: Refusal };

/** Why a command does not fit the state of the call; `api/` has the status, code and words of each. */
export type Refusal =
  | 'play_pending'
  | 'not_bridged'
  /** The state in which the call does not take it. */
  | 'ringing'
  | 'detecting'
  | 'prompt_playing'
  | 'bridging'
  | 'bridged'
  | 'transferring'
  | 'in_conference'
  | 'in_room'
  | 'in_queue'
  /** Its flow does not take it now. */
  | 'not_accepted_here'
  | 'not_playing'
  | 'already_answered'
  | 'ended'
  | 'already_recording'
  | 'not_recording'
  | 'recording_name_taken'
  | 'recording_failed'
  | 'already_streaming'
  | 'not_streaming'
  /** The URL of a stream, or the number to call, is not one that may be used. */
  | 'target_refused'
  /** The step being run has no such outcome. */
  | 'unknown_outcome';

/**
 * `atMs` is never before that of an earlier entry: it goes on by a clock that nobody sets, from what the wall clock said at
 * the beginning. `wallMs`: the same moment by the wall clock, where that was set since.
 */
export type JournalEntry = { seq: number; atMs: number; wallMs?: number } & (
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
      /** Of flows that name none. */
      timezone?: string;
      callId?: string;
      /** The main leg. */
      leg?: string;
      /** It was connected already. */
      answered?: true;
      /** SIP headers of the INVITE: those that came, or those that we set. */
      headers?: SipHeaders;
      /** `incomingcall` is sent by the flow, or with the end. */
      announce?: 'later';
      /** Inbound, of a telephone. */
      sip?: SipPeer;
    }
  | { kind: 'in'; input: CallInput }
  /**
   * `branch`: the flow runs beside others; named by the step run (visit) that started it: `7.agents`. `flowHash`: with the
   * first step of a flow that is not the one of `started`, its version.
   */
  | {
      kind: 'entered';
      step: string;
      verb: string;
      visit: number;
      depth: number;
      flow: string;
      flowHash?: string;
      branch?: string;
    }
  /** `templates`: fingerprints of the templates that made masked values, by path (`masked-templates.ts`). */
  | { kind: 'rendered'; visit: number; input: Json; templates?: Record<string, string> }
  /** `leg`: a party; absent: the main leg. */
  | { kind: 'command'; command: LegCommand; visit: number; leg?: string }
  | {
      kind: 'dialled';
      leg: string;
      from: string;
      to: string;
      visit: number;
      ringTimeoutMs?: number;
      headers?: SipHeaders;
    }
  /** How a bridge stands, in the words of the API's bridge event. */
  | {
      kind: 'bridge';
      bridgeId: string;
      state: 'initiated' | 'bridging' | 'bridged' | 'failed' | 'bridge_disconnected';
      from: string;
      to: string;
      cause?: Cause;
    }
  /** A transfer that REST asked for succeeded; `from` and `to` are those of the new call. */
  | { kind: 'transferred'; channelId: string; bridgeId: string; from: string; to: string }
  /** A transfer that REST asked for failed, or was cut short; `from` and `to` are those of the new call. */
  | { kind: 'untransferred'; channelId: string; bridgeId: string; from: string; to: string; cause: Cause }
  /** A digit on the main leg while it is bridged, which no step took. */
  | { kind: 'digit'; digit: string }
  | { kind: 'held'; held: boolean }
  | {
      kind: 'recording';
      recordingId: string;
      name?: string;
      state: 'started' | 'paused' | 'resumed' | 'completed' | 'failed';
      durationMs?: number;
      description?: string;
      /** Found after a crash: as far as it was written. */
      recovered?: true;
    }
  | {
      kind: 'stream';
      streamId: string;
      state: 'stream_initiated' | 'stream_started' | 'stream_stopped' | 'stream_failed';
      description?: string;
    }
  /** A transcript as the application receives it; the store keeps a mask in place of the text. */
  | { kind: 'transcript'; track: StreamTrack; text: string; confidence: number; fromMs: number; toMs: number }
  /** An event of a venue; `entered` and `left` when the call did so. */
  | { kind: 'venue'; venue: VenueKind; ticket: string; name: string; event: string; data: Json }
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
      /** It listened for speech. */
      speech?: boolean;
    }
  | { kind: 'skipped'; step: string; visit: number }
  | { kind: 'vars'; set: JsonObject; visit?: number; templates?: Record<string, string> }
  | { kind: 'state'; state: CallState; cause?: Cause }
  | { kind: 'refused'; command: string; refusal: Refusal }
  /** A play that was queued and never heard: the call ended before that, unless `why` says otherwise. */
  | { kind: 'unplayed'; playId: string; promptRef?: string; why?: string }
  /** A join that was accepted, when the call ended, or its step was left, before the venue let it in. */
  | { kind: 'unjoined'; venue: 'conference' | 'room'; name: string }
  | { kind: 'notified'; event: string; body: Json }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; message: string; fields: JsonObject }
  | { kind: 'diagnostic'; code: string; message: string }
  | { kind: 'ended'; reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost'; fault?: Fault; output?: Json }
);

/** A command that was refused is not an input, and changed nothing. */
export const isRefusal = (entry: JournalEntry | undefined): boolean =>
  entry?.kind === 'refused' || (entry?.kind === 'diagnostic' && entry.code === 'answer_refused');

/** The entries of one kind. */
export type JournalEntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** `Omit` that keeps the union apart. */
export type NewEntry = JournalEntry extends infer E
  ? E extends JournalEntry
    ? Omit<E, 'seq' | 'atMs' | 'wallMs'>
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
  /** By the wall clock. Later times count from here by the monotonic clock: differences are durations. */
  startedMs: number;
  answeredMs?: number;
  endedMs?: number;
  cause?: Cause;
  eventUrl?: string;
  ownerRef?: string;
  /** When the far end first rang. */
  ringingMs?: number;
  /** The first bridges of the call; `answeredMs` of those that were answered. */
  bridges?: BridgeRecord[];
  /** The first recordings of the call. */
  recordings?: { recordingId: string; name?: string; durationMs?: number }[];
  /** Of the main leg. */
  quality?: LegQuality;
  /** Of the main leg, where that is a telephone: what was known when it ended. */
  sip?: LegSip;
  /** Who ended the main leg; with the end of the call. */
  hangupBy?: HangupBy;
  /** SIP headers of the far end: of its INVITE, or of its answer. Sensitive ones are masked. */
  headers?: SipHeaders;
  /** The broadcast that made it. */
  broadcastId?: string;
  /** Where it stands in its trace, where there are traces: its events belong to it, also after a restart. */
  trace?: TraceContext;
  /** The latest result of a detection on the main leg (`detect_machine`). */
  answeredBy?: 'human' | 'machine' | 'fax' | 'unknown';
  /** The room that it was in when it ended. */
  roomId?: string;
  /** The output of its flow (`return`), unless that is long. */
  output?: Json;
}

export interface BridgeRecord {
  to: string;
  startedMs: number;
  answeredMs?: number;
  endedMs?: number;
  cause?: Cause;
  /** `caller` is the call that was bridged. */
  hangupBy?: HangupBy;
  /** Of the party that ended last. */
  sip?: LegSip;
}

/** Where a run stands: enough to say what it was doing, small enough to write at every decision. */
export interface Checkpoint {
  /** Frames from the root flow to the innermost subflow. */
  frames: { flow: string; flowHash: string; at: string; vars: JsonObject }[];
  visit: number;
}
