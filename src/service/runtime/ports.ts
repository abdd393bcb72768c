/** Ports of a call run, and the data with which it starts. Implemented in `calls/`, `store/` and `app.ts`. */
import type { Clock } from '../../base/core/clock.ts';
import type { Delivery } from '../../base/core/delivery.ts';
import type { HttpReply, HttpRequest } from '../../base/core/http-exchange.ts';
import type { Ids } from '../../base/core/ids.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { AudioItem, LegEvent, SipPeer } from '../../base/core/leg.ts';
import type { NodeEpoch } from '../../base/core/ownership.ts';
import type { Receipt } from '../../base/core/receipt.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { CpuScheduler } from '../../language/flow/cpu-scheduler.ts';
import type { StepDefinition } from '../../language/steps/step.ts';
import type { DialRequest, Engine } from '../../media/telephony/engine.ts';
import type { CallStore } from './call-store.ts';
import type { CallRecord, Direction, JournalEntry } from './journal.ts';
import type { RecordingFiles, Venues } from './venue.ts';

export interface RuntimePorts {
  /** Node epoch that runs and owns the calls. */
  owner: NodeEpoch;
  /** Fence of an adopted call; default: that of a new one. */
  fence?: number;
  ids: Ids;
  callStore: Pick<CallStore, 'commit'>;
  /** True if masked values are passed to the store separately, so that another node can replay the call. */
  keepsUnmasked?: boolean;
  /** Deliveries that observers receive for an entry; written in the same transaction. */
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  /**
   * True if the journal of this call is kept (called once, at its beginning; default: true). Rehearsals of a hundred
   * thousand calls keep few journals.
   */
  keepsJournal?(record: CallRecord): boolean;
  clock: Clock;
  engine: Pick<Engine, 'dial' | 'send' | 'release'>;
  /** A flow by name, or compiled from an embedded document. */
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  /** Lookup in a snapshot of the current flows, because each call keeps the flows of its start. */
  flowsNow?(): RuntimePorts['flow'];
  steps: ReadonlyMap<string, StepDefinition>;
  /** `of`: call and id of the request. */
  http(
    request: HttpRequest,
    projectId: string,
    signal: AbortSignal,
    of: { callId: string; requestId: string },
  ): Promise<HttpReply>;
  recordings: RecordingFiles;
  venues: Venues;
  /** SIP headers, by lower-case name, whose values are masked in journals and events; default: none. */
  sensitiveHeaders?: readonly string[];
  /** True if calls of the project may present this number to callees. */
  mayPresent(projectId: string, cli: string): boolean;
  /** True if the audio of a call may be streamed to this URL. */
  mayStream(projectId: string, url: string): boolean;
  /** Prepares to add a number to the project's do-not-call list, or returns the error in the number. */
  doNotCall?(projectId: string, number: string): { add(): void } | { wrong: string };
  /**
   * Diagnostic if another voice is used instead of the named one. Undefined if the named voice is used. Not called in a
   * replay.
   */
  voiceFallback?(item: AudioItem): string | undefined;
  /** The run has ended without further writes, because another node has adopted the call. */
  onFenced?(callId: string): void;
  /** Receives every error that the run could not handle itself. */
  onCrash(callId: string, error: unknown): void;
  /**
   * Called between steps that do not wait; its result is awaited, so that a flow with long computations does not block
   * other calls.
   */
  yieldTurn?(): Promise<void> | undefined;
  /** CPU scheduler for expressions, by project; absent: unlimited. */
  cpuScheduler?: CpuScheduler;
  /** Replay only: variables assigned after a step run that cannot be repeated because its input was masked. */
  recordedVars?(visit: number): JsonObject | undefined;
}

export interface CallSpec {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  legId: string;
  /** Inbound: the readable headers of the INVITE. */
  headers?: SipHeaders;
  /** Outbound: how to reach the far end; the flow begins when it answers. */
  dial?: DialRequest;
  flow: CompiledFlow;
  input: JsonObject;
  seed: number;
  env: JsonObject;
  /** Time zone of flows that name none. */
  timezone?: string | undefined;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  /** Inbound calls from a phone. */
  sip?: SipPeer;
  /** Source of an inbound call for limits, as of its leg. Unknown after an adoption. */
  source?: string;
  eventUrl?: string;
  ownerRef?: string;
  /** Broadcast that places this call. */
  broadcastId?: string;
  /** Trace context, if tracing is on. */
  trace?: TraceContext | undefined;
  /** Response to the request that creates the call, written with its first decision. */
  receipt?: ((record: CallRecord) => Receipt | undefined) | undefined;
  /**
   * Inbound: true if `incomingcall` is sent at once (default); `later`: sent by a flow that plays a greeting first, or
   * with the end of the call.
   */
  announce?: boolean | 'later';
  /** Inbound: the leg was connected before the call began (`service/calls/inbound/shared-number-gate.ts`). */
  answered?: true;
  /** True if REST may record and stream the call only while it is bridged (default). */
  strictBridgeState?: boolean;
}

/** A party that moves to another call, with the unread events of its leg. */
export interface LegTransfer {
  leg: string;
  to: string;
  unread: LegEvent[];
}

/** Registry of the legs of all live calls: the supervisor. */
export interface LegRegistry {
  /** Routes events of this leg to the run. */
  attach(legId: string): void;
  detach(legId: string): void;
  /** Requests the peer of this leg from its call; the reply is the input `taken_over`. */
  takeOver(replacesLegId: string, stepRun: number): void;
}
