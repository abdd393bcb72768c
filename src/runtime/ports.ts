/** What a call run needs from outside (ports), and what it is started with. Implemented in `calls/`, `store/` and `app.ts`. */
import type { Clock } from '../core/clock.ts';
import type { CpuScheduler } from '../core/cpu-scheduler.ts';
import type { Delivery } from '../core/delivery.ts';
import type { HttpReply, HttpRequest } from '../core/http-exchange.ts';
import type { Ids } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegEvent, SipPeer } from '../core/leg.ts';
import type { LifeId } from '../core/ownership.ts';
import type { Receipt } from '../core/receipt.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import type { TraceContext } from '../core/trace-context.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { StepDefinition } from '../steps/step.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import type { CallStore } from './call-store.ts';
import type { CallRecord, Direction, JournalEntry } from './journal.ts';
import type { RecordingFiles, Venues } from './venue.ts';

export interface RuntimePorts {
  /** The life of the node that runs the calls: it owns them. */
  owner: LifeId;
  /** Of a call that was adopted; default that of a new one. */
  fence?: number;
  ids: Ids;
  callStore: Pick<CallStore, 'commit'>;
  /** What the journal masks is given to the store beside it, so that another node may repeat the call. */
  keepsUnmasked?: boolean;
  /** The deliveries that observers receive for an entry; written in the same transaction. */
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  /**
   * Whether the journal of this call is kept (asked once, at its beginning; default yes). Rehearsals of a hundred thousand
   * calls do without most of their journals.
   */
  keepsJournal?(record: CallRecord): boolean;
  clock: Clock;
  engine: Pick<Engine, 'dial' | 'send' | 'release'>;
  /** A flow by name, or compiled from an embedded document. */
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  /** The same, of the flows that are there now: each call keeps those that it began with. */
  flowsNow?(): RuntimePorts['flow'];
  steps: ReadonlyMap<string, StepDefinition>;
  /** `of`: which request of which call it is. */
  http(
    request: HttpRequest,
    projectId: string,
    signal: AbortSignal,
    of: { callId: string; requestId: string },
  ): Promise<HttpReply>;
  recordings: RecordingFiles;
  venues: Venues;
  /** SIP headers, by lower-case name, whose values no journal and no event shows; default none. */
  sensitiveHeaders?: readonly string[];
  /** Whether calls of the project may show this number to those they call. */
  mayPresent(projectId: string, cli: string): boolean;
  /** Whether the sound of a call may be sent to this address. */
  mayStream(projectId: string, url: string): boolean;
  /** Prepares to add a number to the project's do-not-call list, or says what is wrong with the number. */
  doNotCall?(projectId: string, number: string): { add(): void } | { wrong: string };
  /** What a caller hears in place of a voice that is asked for by name; undefined: that voice. Not asked in a replay. */
  voiceFallback?(item: AudioItem): string | undefined;
  /** The run has stopped without a trace: another node has adopted the call. */
  onFenced?(callId: string): void;
  /** Receives every error that the run could not handle itself. */
  onCrash(callId: string, error: unknown): void;
  /**
   * Called between steps that do not wait; what it returns is awaited, so that a flow that computes for long does not
   * hold up other calls.
   */
  yieldTurn?(): Promise<void> | undefined;
  /** The processor time of expressions, by project; unlimited where absent. */
  cpuScheduler?: CpuScheduler;
  /** Replay only: what was assigned after a step run that cannot be repeated because its input was masked. */
  recordedVars?(visit: number): JsonObject | undefined;
}

export interface CallSpec {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  legId: string;
  /** Inbound: the headers of the INVITE that may be read. */
  headers?: SipHeaders;
  /** Outbound: how to reach the far end; the flow begins when it answers. */
  dial?: DialRequest;
  flow: CompiledFlow;
  input: JsonObject;
  seed: number;
  env: JsonObject;
  /** Of flows that name none. */
  timezone?: string | undefined;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  /** Inbound, of a telephone. */
  sip?: SipPeer;
  eventUrl?: string;
  ownerRef?: string;
  /** The broadcast that makes this call. */
  broadcastId?: string;
  /** Where it stands in its trace, where there are traces. */
  trace?: TraceContext | undefined;
  /** What is answered to the request that makes it, written with its first decision. */
  receipt?: ((record: CallRecord) => Receipt | undefined) | undefined;
  /**
   * Inbound: whether `incomingcall` is sent at once (default); `later`: a flow that greets first sends it, or the end of
   * the call does.
   */
  announce?: boolean | 'later';
  /** Inbound: the caller was let in before there was a call of it (`calls/reception.ts`): its leg is connected. */
  answered?: true;
  /** Whether REST may record and stream the call only while it is bridged (default). */
  strictBridgeState?: boolean;
}

/** A party that moves to another call, and the events of its leg that nobody has read yet. */
export interface LegTransfer {
  leg: string;
  to: string;
  unread: LegEvent[];
}

/** Where the legs of all live calls are known: the supervisor. */
export interface LegRegistry {
  /** From now on the run receives the events of this leg. */
  attach(legId: string): void;
  detach(legId: string): void;
  /** Asks the call that this leg is on for its peer; the answer is the input `taken_over`. */
  takeOver(replacesLegId: string, stepRun: number): void;
}
