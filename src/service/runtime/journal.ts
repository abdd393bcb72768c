/**
 * Journal of a call: its inputs, decisions and commands. Observers read it, a replay repeats it.
 *
 * Invariants
 *  J1 Entries of one call are numbered from 1 without gaps, in the order in which they occurred.
 *  - `in` entries are the only inputs: feeding them again produces every other entry again.
 *  - Sensitive values are masked before an entry is created, so that a journal may be shown to anyone with access to
 *    the call.
 */
import type { Cause } from '../../base/core/causes.ts';
import type { Fault } from '../../base/core/fault.ts';
import type { HangupBy } from '../../base/core/hangup.ts';
import type { HttpReply } from '../../base/core/http-exchange.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { LegCommand, LegEvent, LegQuality, LegSip, SipPeer, StreamTrack } from '../../base/core/leg.ts';
import type { NodeEpoch } from '../../base/core/ownership.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';

/** Replaces a sensitive value; equals any value in a replay. */
export { MASK } from '../../base/core/mask-url.ts';

export type Direction = 'inbound' | 'outbound';

/** States of a call, as named in webhooks (`docs/webhooks.md`). */
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

/** Input of a run, taken from its mailbox. */
export type CallInput =
  | { type: 'start' }
  /** Event of the main leg, or of the party with this leg id. */
  | { type: 'leg'; event: LegEvent; leg?: string }
  /** The timer with this number has fired. */
  | { type: 'deadline'; timer: number }
  | { type: 'max_duration' }
  | { type: 'http'; requestId: string; reply: HttpReply }
  /** A command from REST, or from the response of an event's receiver. */
  | { type: 'command'; command: CallCommand; source?: CommandSource }
  /** A problem with the response to an event, found before it became a command. */
  | { type: 'diagnosis'; code: string; message: string }
  /** An event of a conference, a queue or a room; `ticket`: the member id. */
  | { type: 'venue'; ticket: string; name: string; data: Json }
  /**
   * A party of another call moved to this one (attended transfer), as its step requested. Without `leg` there was none.
   */
  | { type: 'taken_over'; visit: number; leg?: string; to?: string }
  /** A party of this call was taken over by another call. */
  | { type: 'given_up'; leg: string }
  /** The service that ran this call stopped or died. */
  | { type: 'lost' }
  /** This node epoch resumes the call of a lost one. */
  | { type: 'adopted'; by: NodeEpoch };

/**
 * Origin of a command other than REST: the response to an event (`webhook`), or the request that created the call
 * (`order`): a recording or stream from the answer on, bridged or not.
 */
export type CommandSource = 'webhook' | 'order';

/** Commands to a live call from REST and webhook responses. */
export type CallCommand =
  | { type: 'play'; playId: string; promptRef?: string; verb: 'play' | 'collect'; args: JsonObject }
  | { type: 'accept' }
  | { type: 'hangup'; cause: number; headers?: SipHeaders }
  | { type: 'event'; name: string; data: Json }
  /** A flow by name, or as a document. */
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject }
  /** Connects the call with another party; `args` as of the verb `bridge`. */
  | { type: 'bridge'; bridgeId: string; args: JsonObject }
  /** Connects the party of a bridged call with another party; `args` as of the verb `transfer`. */
  | { type: 'transfer'; channelId: string; args: JsonObject }
  | { type: 'hold'; hold: boolean; music?: Json }
  /** `bridgeId`, of a start: bridge with which the media ends; set by the run for media that needs a bridge. */
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
  /** Ends the prompt that is being played or queued. */
  | { type: 'stop_play' }
  /** `args` as of the verbs; `accepts`: accepts a call that waits for it; `after`: the call ends with the meeting. */
  | { type: 'conference'; args: JsonObject; accepts?: true; after?: 'hang_up' }
  | { type: 'join_room'; args: JsonObject; accepts?: true; after?: 'hang_up' }
  /** Ends the current step with one of its outcomes. */
  | { type: 'outcome'; outcome: string; set: JsonObject };

/** `id`: of the recording, stream or prompt that was started or ended. */
export type CommandReply = { ok: true; id?: string } | { ok: false; refusal: Refusal };

/** Reason why a command does not fit the state of the call; `api/` maps it to status, code and message. */
export type Refusal =
  | 'play_pending'
  | 'not_bridged'
  /** States in which the call refuses it. */
  | 'ringing'
  | 'detecting'
  | 'prompt_playing'
  | 'bridging'
  | 'bridged'
  | 'transferring'
  | 'in_conference'
  | 'in_room'
  | 'in_queue'
  /** The flow does not accept it now. */
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
  /** The URL of a stream, or the number to call, is not allowed. */
  | 'target_refused'
  /** The current step has no such outcome. */
  | 'unknown_outcome';

/**
 * `atMs` never decreases: it continues on the monotonic clock from the wall clock at the beginning. `wallMs`: the same
 * time by the wall clock, if that was set since.
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
      /** Time zone of flows that name none. */
      timezone?: string;
      callId?: string;
      /** Id of the main leg. */
      leg?: string;
      /** The leg was connected already. */
      answered?: true;
      /** SIP headers of the INVITE, received or sent. */
      headers?: SipHeaders;
      /** `incomingcall` is sent by the flow, or with the end. */
      announce?: 'later';
      /** Inbound calls from a phone. */
      sip?: SipPeer;
    }
  | { kind: 'in'; input: CallInput }
  /**
   * `branch`: the flow runs concurrently; named by the step run (visit) that started it: `7.agents`. `flowHash`:
   * version of the flow, in its first step, if it is not the flow of `started`.
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
  /** `templates`: fingerprints of the templates that produced masked values, by path (`masked-templates.ts`). */
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
  /** State of a bridge, as named in the API's bridge event. */
  | {
      kind: 'bridge';
      bridgeId: string;
      state: 'initiated' | 'bridging' | 'bridged' | 'failed' | 'bridge_disconnected';
      from: string;
      to: string;
      cause?: Cause;
    }
  /** A transfer requested by REST succeeded; `from` and `to` are those of the new call. */
  | { kind: 'transferred'; channelId: string; bridgeId: string; from: string; to: string }
  /** A transfer requested by REST failed or was interrupted; `from` and `to` are those of the new call. */
  | { kind: 'untransferred'; channelId: string; bridgeId: string; from: string; to: string; cause: Cause }
  /** A digit on the main leg while it is bridged, which no step read. */
  | { kind: 'digit'; digit: string }
  | { kind: 'held'; held: boolean }
  | {
      kind: 'recording';
      recordingId: string;
      name?: string;
      state: 'started' | 'paused' | 'resumed' | 'completed' | 'failed';
      durationMs?: number;
      description?: string;
      /** Recovered after a crash, up to the last write. */
      recovered?: true;
    }
  | {
      kind: 'stream';
      streamId: string;
      state: 'stream_initiated' | 'stream_started' | 'stream_stopped' | 'stream_failed';
      description?: string;
    }
  /** A transcript as the application receives it; the store keeps a mask instead of the text. */
  | { kind: 'transcript'; track: StreamTrack; text: string; confidence: number; fromMs: number; toMs: number }
  /** An event of a venue; `entered` and `left` are the call's own actions. */
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
      /** Set if the step was a prompt requested by REST. */
      playId?: string;
      promptRef?: string;
      sensitive?: boolean;
      /** True if it listened for speech. */
      speech?: boolean;
    }
  | { kind: 'skipped'; step: string; visit: number }
  | { kind: 'vars'; set: JsonObject; visit?: number; templates?: Record<string, string> }
  | { kind: 'state'; state: CallState; cause?: Cause }
  | { kind: 'refused'; command: string; refusal: Refusal }
  /** A queued play that was never heard: the call ended first, unless `why` gives another reason. */
  | { kind: 'unplayed'; playId: string; promptRef?: string; why?: string }
  /** An accepted join whose call ended, or whose step was left, before the venue admitted it. */
  | { kind: 'unjoined'; venue: 'conference' | 'room'; name: string }
  | { kind: 'notified'; event: string; body: Json }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; message: string; fields: JsonObject }
  | { kind: 'diagnostic'; code: string; message: string }
  | { kind: 'ended'; reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost'; fault?: Fault; output?: Json }
);

/** True for the entry of a refused command, which is not an input and changed nothing. */
export const isRefusal = (entry: JournalEntry | undefined): boolean =>
  entry?.kind === 'refused' || (entry?.kind === 'diagnostic' && entry.code === 'answer_refused');

/** Entries of one kind. */
export type JournalEntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** `Omit` that distributes over the union. */
export type NewEntry = JournalEntry extends infer E
  ? E extends JournalEntry
    ? Omit<E, 'seq' | 'atMs' | 'wallMs'>
    : never
  : never;

/** One row per call: the data that lists, reports and recovery need without reading the journal. */
export interface CallRecord {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  state: CallState;
  flow: string;
  flowHash: string;
  /** Wall-clock time. Later times count from here on the monotonic clock, so that differences are durations. */
  startedMs: number;
  answeredMs?: number;
  endedMs?: number;
  cause?: Cause;
  eventUrl?: string;
  ownerRef?: string;
  /** Time at which the far end first rang. */
  ringingMs?: number;
  /** First bridges of the call; `answeredMs` of those that were answered. */
  bridges?: BridgeRecord[];
  /** First recordings of the call. */
  recordings?: { recordingId: string; name?: string; durationMs?: number }[];
  /** Quality of the main leg. */
  quality?: LegQuality;
  /** SIP data of the main leg of a phone, as of its end. */
  sip?: LegSip;
  /** Party that ended the main leg; set with the end of the call. */
  hangupBy?: HangupBy;
  /** SIP headers of the far end: of its INVITE, or of its answer. Sensitive ones are masked. */
  headers?: SipHeaders;
  /** Broadcast that placed the call. */
  broadcastId?: string;
  /** Trace context, if tracing is on: its events belong to the trace, also after a restart. */
  trace?: TraceContext;
  /** Latest result of a detection on the main leg (`detect_machine`). */
  answeredBy?: 'human' | 'machine' | 'fax' | 'unknown';
  /** Room of the call when it ended. */
  roomId?: string;
  /** Output of its flow (`return`), unless it is long. */
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
  /** SIP data of the party that ended last. */
  sip?: LegSip;
}

/** Checkpoint of a run: enough to describe its position, small enough to write at every decision. */
export interface Checkpoint {
  /** Frames from the root flow to the innermost subflow. */
  frames: { flow: string; flowHash: string; at: string; vars: JsonObject }[];
  visit: number;
}
