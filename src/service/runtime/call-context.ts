/**
 * State of one call: its data, and the parts that act on it (legs, bridge, media, venues, timers). Steps, flows,
 * commands and inputs use this context; it depends on none of them.
 *
 * Invariant: the journal contains the final state of the call once: `disconnected` or `failed`.
 */
import type { Cause } from '../../base/core/causes.ts';
import type { HttpReply, HttpRequest } from '../../base/core/http-exchange.ts';
import { seededRandom } from '../../base/core/ids.ts';
import { defined, type Json } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { maskHeaders, type SipHeaders } from '../../base/core/sip-headers.ts';
import type { VoiceSettings } from '../../language/flow/compiled-flow.ts';
import { BackgroundMedia } from './background-media.ts';
import { Bridges } from './bridges.ts';
import { CallClock } from './call-clock.ts';
import { CallRecordings } from './call-recordings.ts';
import { CallTransaction } from './call-transaction.ts';
import { Deadlines } from './deadlines.ts';
import { type CallCommand, type CallInput, type CallRecord, type CallState, MASK, type NewEntry } from './journal.ts';
import { Legs } from './legs.ts';
import { Mask } from './mask.ts';
import { Memberships } from './memberships.ts';
import type { CallSpec, LegRegistry, RuntimePorts } from './ports.ts';
import { TypedAhead } from './typed-ahead.ts';

const NO_CHANGES: Partial<VoiceSettings> = Object.freeze({});

/** How the flow of a call ended, and why. */
export type Closing = Omit<Extract<NewEntry, { kind: 'ended' }>, 'kind'>;

export class CallContext {
  readonly spec: CallSpec;
  readonly ports: RuntimePorts;
  readonly registry: LegRegistry;
  readonly record: CallRecord;
  readonly mask = new Mask();
  readonly typedAhead = new TypedAhead();
  readonly clock: CallClock;
  readonly transaction: CallTransaction;
  readonly deadlines: Deadlines;
  readonly legs: Legs;
  readonly recordings: CallRecordings;
  readonly media: BackgroundMedia;
  readonly bridges: Bridges;
  readonly memberships: Memberships;
  /** Commands that wait for a step which accepts them. */
  readonly queuedCommands: CallCommand[] = [];
  #random: (() => number) | undefined;
  /** SIP headers of the far end: of its INVITE, or of its answer. */
  headers: SipHeaders | undefined;
  /** Language and voice that `set` changed for the rest of the call. */
  voiceSettings: Partial<VoiceSettings> = NO_CHANGES;
  /** Set once the flow is over; then the call only waits for its legs to end. */
  closing: Closing | undefined;
  /** Event of the last interrupt. */
  event: { name: string; data: Json } | undefined;
  /** Steps since the last input. */
  stepsAtOnce = 0;
  /** Count of step runs, which is the number of the latest. */
  stepRuns = 0;
  /** Flows that are running or about to, nested or in branches. */
  openFlows = 0;
  /** Aborts pending requests when the call is over. Created with the first request, because most calls make none. */
  #requests: AbortController | undefined;
  #diagnosed: Set<string> | undefined;

  constructor(spec: CallSpec, ports: RuntimePorts, registry: LegRegistry, post: (input: CallInput) => void) {
    this.spec = spec;
    this.ports = ports;
    this.registry = registry;
    this.clock = new CallClock(ports.clock);
    this.record = recordOf(spec, this.clock.nowMs);
    this.mask.learn(spec.secrets);
    this.mask.learnVariables(spec.input, spec.flow.input);
    this.transaction = new CallTransaction(ports, { record: this.record, mask: this.mask, clock: this.clock, post });
    if (spec.headers) this.setHeaders(spec.headers);
    this.deadlines = new Deadlines(this.transaction);
    this.legs = new Legs(spec.legId, this.transaction, registry, this.deadlines);
    this.recordings = new CallRecordings(this.transaction);
    this.media = new BackgroundMedia(this.transaction, this.legs, this.recordings);
    this.bridges = new Bridges(this.transaction, this.media);
    this.memberships = new Memberships(this.transaction, spec.source);
  }

  /** Random numbers of the call; a replay gets the same. */
  get random(): () => number {
    this.#random ??= seededRandom(this.spec.seed);
    return this.#random;
  }

  get isAnswered(): boolean {
    return this.record.answeredMs !== undefined;
  }

  /** True if REST may record and stream only bridged calls. */
  get isStrict(): boolean {
    return this.spec.strictBridgeState ?? true;
  }

  setHeaders(headers: SipHeaders): void {
    this.headers = headers;
    this.record.headers = maskHeaders(headers, this.ports.sensitiveHeaders ?? [], MASK);
  }

  append(entry: NewEntry, unmasked?: Json): void {
    this.transaction.append(entry, unmasked);
  }

  /** Reports each diagnostic once per call. */
  diagnoseOnce(code: string, message: string): void {
    this.#diagnosed ??= new Set();
    if (this.#diagnosed.has(message)) return;
    this.#diagnosed.add(message);
    this.append({ kind: 'diagnostic', code, message });
  }

  /** Reports once that another voice than the named one is used; as an input, because engines decide it. */
  recordVoice(item: AudioItem): void {
    if (!('voices' in item) || item.voices === undefined) return;
    const message = this.ports.voiceFallback?.(item);
    if (message === undefined) return;
    this.#diagnosed ??= new Set();
    if (this.#diagnosed.has(message)) return;
    this.#diagnosed.add(message);
    this.transaction.onCommit(() => this.transaction.post({ type: 'diagnosis', code: 'voice_fallback', message }));
  }

  /** Sends a request after the commit; the response is the input `http`. */
  request(requestId: string, request: HttpRequest, abort: AbortSignal): void {
    const { callId, projectId } = this.record;
    this.#requests ??= new AbortController();
    const signal = AbortSignal.any([abort, this.#requests.signal]);
    this.transaction.onCommit(() => {
      void this.ports
        .http(request, projectId, signal, { callId, requestId })
        .catch((error): HttpReply => ({ ok: false, reason: 'network', message: String(error) }))
        .then((reply) => this.transaction.post({ type: 'http', requestId, reply }));
    });
  }

  setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.append({ kind: 'state', state, cause });
  }

  setConnected(): void {
    this.legs.main.state = 'connected';
    this.record.answeredMs = this.clock.nowMs;
    this.setState('connected');
  }

  /** The final event of the call is sent after it left its room. */
  keepRoomId(): void {
    const { roomId } = this.memberships;
    if (roomId !== undefined) this.record.roomId = roomId;
  }

  /** Writes the end of the call, after the ends of all open actions. */
  endRecord(cause: Cause, hasFailed: boolean): void {
    this.queuedCommands.length = 0;
    this.transaction.appendEndings(cause);
    this.record.endedMs = this.clock.nowMs;
    this.record.cause = cause;
    this.record.hangupBy ??= 'service';
    this.setState(hasFailed ? 'failed' : 'disconnected', cause);
  }

  /** Cancels all timers and requests. */
  release(): void {
    this.deadlines.cancelAll();
    this.#requests?.abort();
  }
}

function recordOf(spec: CallSpec, nowMs: number): CallRecord {
  const { callId, projectId, direction, from, to, flow, eventUrl, ownerRef, broadcastId, trace } = spec;
  return defined({
    callId,
    projectId,
    direction,
    from,
    to,
    state: direction === 'inbound' ? 'incomingcall' : 'initiated',
    flow: flow.name,
    flowHash: flow.hash,
    startedMs: nowMs,
    eventUrl,
    ownerRef,
    broadcastId,
    trace,
  });
}
