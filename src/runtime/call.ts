/**
 * One call as its steps, its commands and its inputs find it: who is on it, what goes on, what was decided so far. The
 * parts do the work (`lines.ts`, `parties.ts`, `bridges.ts`, `background.ts`, `places.ts`, `ways.ts`); this puts them
 * together and keeps what they share: the time, the record, the end.
 *
 * Invariants
 *  C1 the flow is closed once; the call is over when all its legs have ended after that;
 *  C2 the end of the call is told once: `disconnected` or `failed`.
 */
import type { Cause } from '../core/causes.ts';
import { NORMAL_CLEARING, TEMPORARY_FAILURE } from '../core/causes.ts';
import { type Fault, fault } from '../core/fault.ts';
import { seededChance } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { TimeShare } from '../core/time-shares.ts';
import type { HttpReply, HttpRequest } from '../steps/step.ts';
import { Background } from './background.ts';
import { Bridges } from './bridges.ts';
import { CallTime } from './call-time.ts';
import type { Signal } from './command.ts';
import { CommandDesk, type CommandHost } from './command-desk.ts';
import { Deadlines } from './deadlines.ts';
import type { CallRecord, CallState, Direction, NewEntry, RunInput } from './journal.ts';
import { MASK } from './journal.ts';
import { Ledger } from './ledger.ts';
import { Lines } from './lines.ts';
import { Mask } from './mask.ts';
import { Parties } from './parties.ts';
import { Places } from './places.ts';
import { Recordings } from './recordings.ts';
import type { Exchange, RunPorts, RunSpec } from './run.ts';
import type { Closing, TraversalHost } from './traversal.ts';
import { TypedAhead } from './typed-ahead.ts';
import type { Visit } from './visit.ts';
import { Ways } from './ways.ts';
import { weightOf } from './weight.ts';

/** Characters of a flow's output that are kept with the record; the journal has all of it. */
const LONGEST_OUTPUT = 1000;

export class Call implements TraversalHost, CommandHost {
  readonly spec: RunSpec;
  readonly record: CallRecord;
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  readonly mask = new Mask();
  readonly typedAhead = new TypedAhead();
  readonly ledger: Ledger;
  readonly deadlines: Deadlines;
  readonly lines: Lines;
  readonly parties: Parties;
  readonly bridges: Bridges;
  readonly recordings: Recordings;
  readonly background: Background;
  readonly places: Places;
  readonly ways: Ways;
  readonly desk: CommandDesk;
  readonly time: CallTime;
  /** Set once the flow is over; the call then only waits for its legs to end. */
  closing: Closing | undefined;
  /** The event for which the flow was interrupted last. */
  event: { name: string; data: Json } | undefined;
  isOver = false;
  stepsAtOnce = 0;
  readonly #ports: RunPorts;
  readonly #exchange: Exchange;
  readonly #post: (input: RunInput) => void;
  readonly #chance: () => number;
  /** Whatever is still asked for when the call is over is given up. Made with the first request: most calls make none. */
  #requests: AbortController | undefined;

  constructor(spec: RunSpec, ports: RunPorts, exchange: Exchange, post: (input: RunInput) => void) {
    const { projectId, direction, from, to, flow } = spec;
    const cli = direction === 'outbound' ? from : to;
    this.spec = spec;
    this.#ports = ports;
    this.#exchange = exchange;
    this.#post = post;
    this.direction = direction;
    this.eventUrl = spec.eventUrl;
    this.time = new CallTime(ports.clock);
    this.record = recordOf(spec, this.nowMs);
    this.#chance = seededChance(spec.seed);
    this.mask.learn(spec.secrets);
    this.mask.learnVariables(spec.input, flow.input);
    this.ledger = new Ledger(ports, this.record, this.mask);
    this.deadlines = new Deadlines(this, ports.clock, this.time, post);
    this.lines = new Lines(spec.legId, this, {
      engine: ports.engine,
      switchboard: exchange,
      deadlines: this.deadlines,
    });
    this.parties = new Parties(this, {
      lines: this.lines,
      cli,
      mayPresent: (number) => ports.mayPresent(projectId, number),
    });
    this.bridges = new Bridges(this, this.record, (bridgeId) => this.background.bridgeEnded(bridgeId));
    this.recordings = new Recordings(this, this.record, ports.recordings);
    this.background = new Background(this, {
      lines: this.lines,
      record: this.record,
      recordings: this.recordings,
      mayStream: (url) => ports.mayStream(projectId, url),
      isSensitive: () => this.isSensitive(undefined),
    });
    this.places = new Places(this, this.record, ports.venues, post);
    this.ways = new Ways(this, {
      steps: ports.steps,
      flow: ports.flow,
      env: spec.env,
      secrets: spec.secrets,
      schedules: spec.schedules,
      locale: flow.locale,
      ...(ports.recordedVars ? { recordedVars: ports.recordedVars } : {}),
    });
    this.desk = new CommandDesk(this, {
      flow,
      strictBridgeState: spec.strictBridgeState ?? true,
      flowNamed: (name) => ports.flow(name),
    });
  }

  /** The time of the input being handled (`run.ts`, R2). */
  get nowMs(): number {
    return this.time.nowMs;
  }

  get wallMs(): number {
    return this.time.wallMs;
  }

  get isAnswered(): boolean {
    return this.record.answeredMs !== undefined;
  }

  get decidingMs(): number {
    return this.time.passedMs;
  }

  get noted(): number {
    return this.ledger.weight;
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Whether what comes for this visit, or for none, is nobody's business. */
  isSensitive(visit: Visit | undefined): boolean {
    return visit ? visit.step.sensitive : this.ways.visits.some(({ step }) => step.sensitive);
  }

  // What the parts ask

  nextId(kind: string): string {
    return this.#ports.ids.next(kind);
  }

  random(): number {
    return this.#chance();
  }

  note(entry: NewEntry): void {
    this.ledger.note(this.time, entry);
  }

  effect(perform: () => void): void {
    this.ledger.effect(perform);
  }

  /** A visit is over: what it was to do and did not is told. */
  settle(): void {
    for (const entry of this.ledger.open.due(NORMAL_CLEARING)) this.note(entry);
  }

  share(): TimeShare | Promise<TimeShare> | undefined {
    return this.#ports.shares?.enter(this.record.projectId);
  }

  rest(): Promise<void> | undefined {
    return this.#ports.rest?.();
  }

  takeQueued(signals: readonly string[]): Signal | undefined {
    return this.desk.takeQueued(signals);
  }

  interruptedBy(name: string, data: Json): void {
    this.event = { name, data };
  }

  takeOver(visit: Visit, replacesLegId: string): void {
    this.effect(() => this.#exchange.takeOver(replacesLegId, visit.number));
  }

  endBranches(visit: Visit, outcome: string): Promise<void> | undefined {
    return this.ways.endBranches(visit, outcome);
  }

  startRequest(visit: Visit, requestId: string, request: HttpRequest): void {
    this.#requests ??= new AbortController();
    const signal = AbortSignal.any([visit.request(requestId), this.#requests.signal]);
    this.note({
      kind: 'request',
      requestId,
      visit: visit.number,
      method: request.method,
      url: request.url,
      ...(request.body === undefined ? {} : { body: visit.step.sensitive ? MASK : request.body }),
    });
    this.effect(() => {
      void this.#ports
        .http(request, this.record.projectId, signal)
        .catch((error): HttpReply => ({ ok: false, reason: 'network', message: String(error) }))
        .then((reply) => this.#post({ type: 'http', requestId, reply }));
    });
  }

  doNotCall(number: string): Fault | undefined {
    const listing = this.#ports.doNotCall?.(this.record.projectId, number) ?? { wrong: 'cannot be listed here' };
    if ('wrong' in listing) return fault('number_invalid', `the number ${listing.wrong}`);
    this.effect(listing.add);
    return undefined;
  }

  // State and end

  setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.note({ kind: 'state', state, ...(cause ? { cause } : {}) });
  }

  /** Dials, or lets the flow begin. */
  async begin(): Promise<void> {
    const { dial, announce, answered, flow, input, receipt } = this.spec;
    this.ledger.keep(receipt?.(this.record));
    if (dial) return this.effect(() => this.#ports.engine.dial(dial));
    if (announce !== false && announce !== 'later') this.setState('incomingcall');
    if (answered) this.#connect();
    await this.ways.begin(flow, input);
  }

  #connect(): void {
    this.lines.main.state = 'connected';
    this.record.answeredMs = this.nowMs;
    this.setState('connected');
  }

  /** The caller is gone; its line was ended before. */
  async loseCaller(cause: Cause, failed: boolean): Promise<void> {
    this.#keepRoom();
    this.bridges.close(cause);
    await this.ways.loseCaller(() => this.endRecord(cause, failed));
    this.parties.dismissPartner();
  }

  /** C1 */
  async close(closing: Closing): Promise<void> {
    if (this.closing) return;
    this.#keepRoom();
    await this.ways.abandon(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.closing = closing;
    this.parties.dismissPartner();
    const isBroken = closing.fault !== undefined || closing.reason === 'lost';
    this.lines.hangUp(this.lines.main, (isBroken ? TEMPORARY_FAILURE : NORMAL_CLEARING).code);
  }

  /** The end of the call is told after it left. */
  #keepRoom(): void {
    const { roomId } = this.places;
    if (roomId !== undefined) this.record.roomId = roomId;
  }

  finishIfAlone(): void {
    if (this.isOver || !this.closing || !this.lines.allEnded) return;
    const { output } = this.closing;
    if (output !== undefined && weightOf(output) <= LONGEST_OUTPUT) this.record.output = this.mask.apply(output);
    this.note({ kind: 'ended', ...this.closing });
    this.isOver = true;
  }

  /** C2 */
  endRecord(cause: Cause, failed: boolean): void {
    this.desk.close();
    this.tellEnds(cause);
    this.record.endedMs = this.nowMs;
    this.record.cause = cause;
    this.setState(failed ? 'failed' : 'disconnected', cause);
  }

  /** What was accepted and has no end has it with the call. */
  tellEnds(cause: Cause): void {
    const recordingOf = () => ({ durationMs: 0, failed: 'the call ended' }) as const;
    for (const entry of this.ledger.open.endings({ cause, recordingOf })) this.note(entry);
  }

  /** Nothing is waited for any more. */
  release(): void {
    this.deadlines.cancelAll();
    this.#requests?.abort();
  }
}

function recordOf(spec: RunSpec, nowMs: number): CallRecord {
  const { callId, projectId, direction, from, to, flow, eventUrl, ownerRef, broadcastId } = spec;
  return {
    callId,
    projectId,
    direction,
    from,
    to,
    state: direction === 'inbound' ? 'incomingcall' : 'initiated',
    flow: flow.name,
    flowHash: flow.hash,
    startedMs: nowMs,
    ...(eventUrl === undefined ? {} : { eventUrl }),
    ...(ownerRef === undefined ? {} : { ownerRef }),
    ...(broadcastId === undefined ? {} : { broadcastId }),
  };
}
