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
import type { CpuLease } from '../core/cpu-scheduler.ts';
import { type Fault, fault } from '../core/fault.ts';
import { seededRandom } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { HttpReply, HttpRequest } from '../steps/step.ts';
import { BackgroundMedia } from './background-media.ts';
import { Bridges } from './bridges.ts';
import { CallClock } from './call-clock.ts';
import { CallRecordings } from './call-recordings.ts';
import type { CallSpec, Exchange, RuntimePorts } from './call-run.ts';
import { CallTransaction } from './call-transaction.ts';
import type { Signal } from './command.ts';
import { CommandHandler, type CommandHost } from './command-handler.ts';
import { Deadlines } from './deadlines.ts';
import type { Closing, TraversalHost } from './flow-execution.ts';
import { FlowExecutions } from './flow-executions.ts';
import type { CallInput, CallRecord, CallState, Direction, NewEntry } from './journal.ts';
import { MASK } from './journal.ts';
import { Legs } from './legs.ts';
import { Mask } from './mask.ts';
import { Memberships } from './memberships.ts';
import { Parties } from './parties.ts';
import type { StepRun } from './step-run.ts';
import { TypedAhead } from './typed-ahead.ts';
import { jsonSize } from './weight.ts';

/** Characters of a flow's output that are kept with the record; the journal has all of it. */
const LONGEST_OUTPUT = 1000;

export class CallContext implements TraversalHost, CommandHost {
  readonly spec: CallSpec;
  readonly record: CallRecord;
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  readonly mask = new Mask();
  readonly typedAhead = new TypedAhead();
  readonly transaction: CallTransaction;
  readonly deadlines: Deadlines;
  readonly legs: Legs;
  readonly parties: Parties;
  readonly bridges: Bridges;
  readonly recordings: CallRecordings;
  readonly media: BackgroundMedia;
  readonly memberships: Memberships;
  readonly executions: FlowExecutions;
  readonly commands: CommandHandler;
  readonly clock: CallClock;
  /** Set once the flow is over; the call then only waits for its legs to end. */
  closing: Closing | undefined;
  /** The event for which the flow was interrupted last. */
  event: { name: string; data: Json } | undefined;
  isOver = false;
  stepsAtOnce = 0;
  readonly #ports: RuntimePorts;
  readonly #exchange: Exchange;
  readonly #post: (input: CallInput) => void;
  readonly #chance: () => number;
  /** Whatever is still asked for when the call is over is given up. Made with the first request: most calls make none. */
  #requests: AbortController | undefined;

  constructor(spec: CallSpec, ports: RuntimePorts, exchange: Exchange, post: (input: CallInput) => void) {
    const { projectId, direction, from, to, flow } = spec;
    const cli = direction === 'outbound' ? from : to;
    this.spec = spec;
    this.#ports = ports;
    this.#exchange = exchange;
    this.#post = post;
    this.direction = direction;
    this.eventUrl = spec.eventUrl;
    this.clock = new CallClock(ports.clock);
    this.record = recordOf(spec, this.nowMs);
    this.#chance = seededRandom(spec.seed);
    this.mask.learn(spec.secrets);
    this.mask.learnVariables(spec.input, flow.input);
    this.transaction = new CallTransaction(ports, this.record, this.mask);
    this.deadlines = new Deadlines(this, ports.clock, this.clock, post);
    this.legs = new Legs(spec.legId, this, {
      engine: ports.engine,
      switchboard: exchange,
      deadlines: this.deadlines,
    });
    this.parties = new Parties(this, {
      legs: this.legs,
      cli,
      mayPresent: (number) => ports.mayPresent(projectId, number),
    });
    this.bridges = new Bridges(this, this.record, (bridgeId) => this.media.bridgeEnded(bridgeId));
    this.recordings = new CallRecordings(this, this.record, ports.recordings);
    this.media = new BackgroundMedia(this, {
      legs: this.legs,
      record: this.record,
      recordings: this.recordings,
      mayStream: (url) => ports.mayStream(projectId, url),
      isSensitive: () => this.isSensitive(undefined),
    });
    this.memberships = new Memberships(this, this.record, ports.venues, post);
    this.executions = new FlowExecutions(this, {
      steps: ports.steps,
      flow: ports.flow,
      env: spec.env,
      secrets: spec.secrets,
      schedules: spec.schedules,
      locale: flow.locale,
      ...(ports.recordedVars ? { recordedVars: ports.recordedVars } : {}),
    });
    this.commands = new CommandHandler(this, {
      flow,
      strictBridgeState: spec.strictBridgeState ?? true,
      flowNamed: (name) => ports.flow(name),
    });
  }

  /** The time of the input being handled (`run.ts`, R2). */
  get nowMs(): number {
    return this.clock.nowMs;
  }

  get wallMs(): number {
    return this.clock.wallMs;
  }

  get isAnswered(): boolean {
    return this.record.answeredMs !== undefined;
  }

  get decidingMs(): number {
    return this.clock.elapsedMs;
  }

  get noted(): number {
    return this.transaction.journalSize;
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Whether what comes for this visit, or for none, is nobody's business. */
  isSensitive(stepRun: StepRun | undefined): boolean {
    return stepRun ? stepRun.step.sensitive : this.executions.stepRuns.some(({ step }) => step.sensitive);
  }

  // What the parts ask

  nextId(kind: string): string {
    return this.#ports.ids.next(kind);
  }

  random(): number {
    return this.#chance();
  }

  append(entry: NewEntry): void {
    this.transaction.append(this.clock, entry);
  }

  onCommit(perform: () => void): void {
    this.transaction.onCommit(perform);
  }

  /** A visit is over: what it was to do and did not is told. */
  settle(): void {
    for (const entry of this.transaction.open.overdue(NORMAL_CLEARING)) this.append(entry);
  }

  share(): CpuLease | Promise<CpuLease> | undefined {
    return this.#ports.cpuScheduler?.acquire(this.record.projectId);
  }

  rest(): Promise<void> | undefined {
    return this.#ports.yieldTurn?.();
  }

  takeQueued(signals: readonly string[]): Signal | undefined {
    return this.commands.takeQueued(signals);
  }

  interruptedBy(name: string, data: Json): void {
    this.event = { name, data };
  }

  takeOver(stepRun: StepRun, replacesLegId: string): void {
    this.onCommit(() => this.#exchange.takeOver(replacesLegId, stepRun.number));
  }

  endBranches(stepRun: StepRun, outcome: string): Promise<void> | undefined {
    return this.executions.endBranches(stepRun, outcome);
  }

  startRequest(stepRun: StepRun, requestId: string, request: HttpRequest): void {
    this.#requests ??= new AbortController();
    const signal = AbortSignal.any([stepRun.request(requestId), this.#requests.signal]);
    this.append({
      kind: 'request',
      requestId,
      visit: stepRun.number,
      method: request.method,
      url: request.url,
      ...(request.body === undefined ? {} : { body: stepRun.step.sensitive ? MASK : request.body }),
    });
    this.onCommit(() => {
      void this.#ports
        .http(request, this.record.projectId, signal)
        .catch((error): HttpReply => ({ ok: false, reason: 'network', message: String(error) }))
        .then((reply) => this.#post({ type: 'http', requestId, reply }));
    });
  }

  doNotCall(number: string): Fault | undefined {
    const listing = this.#ports.doNotCall?.(this.record.projectId, number) ?? { wrong: 'cannot be listed here' };
    if ('wrong' in listing) return fault('number_invalid', `the number ${listing.wrong}`);
    this.onCommit(listing.add);
    return undefined;
  }

  // State and end

  setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.append({ kind: 'state', state, ...(cause ? { cause } : {}) });
  }

  /** Dials, or lets the flow begin. */
  async begin(): Promise<void> {
    const { dial, announce, answered, flow, input, receipt } = this.spec;
    this.transaction.setReceipt(receipt?.(this.record));
    if (dial) return this.onCommit(() => this.#ports.engine.dial(dial));
    if (announce !== false && announce !== 'later') this.setState('incomingcall');
    if (answered) this.#connect();
    await this.executions.begin(flow, input);
  }

  #connect(): void {
    this.legs.main.state = 'connected';
    this.record.answeredMs = this.nowMs;
    this.setState('connected');
  }

  /** The caller is gone; its line was ended before. */
  async loseCaller(cause: Cause, failed: boolean): Promise<void> {
    this.#keepRoom();
    this.bridges.close(cause);
    await this.executions.onCallerGone(() => this.endRecord(cause, failed));
    this.parties.hangUpHeldPeer();
  }

  /** C1 */
  async close(closing: Closing): Promise<void> {
    if (this.closing) return;
    this.#keepRoom();
    await this.executions.endAll(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.closing = closing;
    this.parties.hangUpHeldPeer();
    const isBroken = closing.fault !== undefined || closing.reason === 'lost';
    this.legs.hangUp(this.legs.main, (isBroken ? TEMPORARY_FAILURE : NORMAL_CLEARING).code);
  }

  /** The end of the call is told after it left. */
  #keepRoom(): void {
    const { roomId } = this.memberships;
    if (roomId !== undefined) this.record.roomId = roomId;
  }

  finishIfAlone(): void {
    if (this.isOver || !this.closing || !this.legs.allEnded) return;
    const { output } = this.closing;
    if (output !== undefined && jsonSize(output) <= LONGEST_OUTPUT) this.record.output = this.mask.apply(output);
    this.append({ kind: 'ended', ...this.closing });
    this.isOver = true;
  }

  /** C2 */
  endRecord(cause: Cause, failed: boolean): void {
    this.commands.close();
    this.tellEnds(cause);
    this.record.endedMs = this.nowMs;
    this.record.cause = cause;
    this.setState(failed ? 'failed' : 'disconnected', cause);
  }

  /** What was accepted and has no end has it with the call. */
  tellEnds(cause: Cause): void {
    const recordingOf = () => ({ durationMs: 0, failed: 'the call ended' }) as const;
    for (const entry of this.transaction.open.endings({ cause, recordingOf })) this.append(entry);
  }

  /** Nothing is waited for any more. */
  release(): void {
    this.deadlines.cancelAll();
    this.#requests?.abort();
  }
}

function recordOf(spec: CallSpec, nowMs: number): CallRecord {
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
