/**
 * The heart: carries one call through its flows.
 *
 * It takes one input from the mailbox, decides (routes, step programs, expressions), commits the decision in one write,
 * then does it. Neighbours: `ways.ts` is the way through the flows, `lines.ts` and `parties.ts` who is on the call,
 * `background.ts` what goes on beside, `command-desk.ts` what REST asks, `journal.ts` the book, `supervisor.ts` keeps
 * the runs.
 *
 * Invariants
 *  R1 inputs are handled one at a time, each until the step programs wait or the run is over;
 *  R2 within one input time stands still: `nowMs` is when the input was taken, so that a replay sees the same time;
 *  R3 no command, request or reply leaves before the decision behind it is committed;
 *  R4 an answer to something an earlier visit started is dropped in `#deliver`, and only there;
 *  R5 a run ends exactly once, after all its legs have ended.
 */
import type { Cause } from '../core/causes.ts';
import { isNetworkFault, NORMAL_CLEARING, TEMPORARY_FAILURE } from '../core/causes.ts';
import type { Clock } from '../core/clock.ts';
import { fault } from '../core/fault.ts';
import type { Ids } from '../core/ids.ts';
import { seededChance } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegEvent } from '../core/leg.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { HttpReply, HttpRequest, StepDefinition, StepEvent } from '../steps/step.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import { Background } from './background.ts';
import { Bridges } from './bridges.ts';
import type { Signal } from './command.ts';
import { CommandDesk } from './command-desk.ts';
import { Deadlines } from './deadlines.ts';
import type {
  CallCommand,
  CallRecord,
  CallState,
  CommandReply,
  CommandSource,
  Direction,
  NewEntry,
  RunInput,
} from './journal.ts';
import { MASK } from './journal.ts';
import { Ledger, type LedgerPorts } from './ledger.ts';
import type { CallLimits } from './limits.ts';
import { type Line, Lines, type Switchboard } from './lines.ts';
import { Mailbox } from './mailbox.ts';
import { hideAnswer, hideHeard, hideSensitive, Mask } from './mask.ts';
import { Parties } from './parties.ts';
import { Places } from './places.ts';
import { Recordings } from './recordings.ts';
import type { Closing, TraversalHost } from './traversal.ts';
import { TypedAhead } from './typed-ahead.ts';
import type { RecordingShelf, Venues } from './venue.ts';
import type { Visit } from './visit.ts';
import { Ways } from './ways.ts';

/** What a flow may still do after its `max_duration` interrupt. */
const FAREWELL_MS = 60_000;

export interface RunPorts extends LedgerPorts {
  clock: Clock;
  ids: Ids;
  engine: Pick<Engine, 'dial' | 'send'>;
  /** A flow by name, or compiled from an embedded document. */
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  steps: ReadonlyMap<string, StepDefinition>;
  http(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply>;
  recordings: RecordingShelf;
  venues: Venues;
  /** Whether calls of the project may show this number to whom they call. */
  mayPresent(projectId: string, cli: string): boolean;
  /** Whether the sound of a call may be sent to this address. */
  mayStream(projectId: string, url: string): boolean;
  /** Told of everything that the run could not handle itself. */
  crashed(callId: string, error: unknown): void;
  /**
   * Called between steps that do not wait; what it returns is awaited, so that a flow that computes for long does not
   * hold up other calls.
   */
  rest?(): Promise<void> | undefined;
  /** Replay only: see `TraversalOptions`. */
  recordedVars?(visit: number): JsonObject | undefined;
}

export interface RunSpec {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  legId: string;
  /** Outbound: how to reach the far end; the flow begins when it answers. */
  dial?: DialRequest;
  flow: CompiledFlow;
  input: JsonObject;
  seed: number;
  env: JsonObject;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  eventUrl?: string;
  ownerRef?: string;
  campaignId?: string;
  /** Inbound: whether `incomingcall` is told at once (default); a flow that greets first tells it itself. */
  announce?: boolean;
  /** Whether REST may record and stream the call only while it is bridged (default). */
  strictBridgeState?: boolean;
}

/** A party that is handed over to another call, and what its line told that was not read yet. */
export interface Handover {
  leg: string;
  to: string;
  unread: LegEvent[];
}

/** What a run asks of its supervisor. */
export interface Exchange extends Switchboard {
  /** Asks the call that this leg is on for the party it is bridged with; the answer is the input `taken_over`. */
  takeOver(replacesLegId: string, visit: number): void;
}

/** A call on its own: nobody else's legs can be had. */
const ALONE: Exchange = { connect: () => undefined, disconnect: () => undefined, takeOver: () => undefined };

type Letter =
  | { input: RunInput; reply?: (reply: CommandReply) => void }
  /** Another call asks for the party with which this leg is bridged. */
  | { wanted: string; answer(handover: Handover | undefined): void };

export interface CallView {
  record: CallRecord;
  legState: Line['state'];
  flow: string | undefined;
  step: string | undefined;
  verb: string | undefined;
}

export class Run implements TraversalHost {
  readonly done: Promise<void>;
  readonly record: CallRecord;
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  readonly mask = new Mask();
  readonly typedAhead = new TypedAhead();
  readonly deadlines: Deadlines;
  readonly lines: Lines;
  readonly parties: Parties;
  readonly bridges: Bridges;
  readonly recordings: Recordings;
  readonly background: Background;
  readonly places: Places;
  readonly ways: Ways;
  /** The time of the input being handled (R2). */
  nowMs: number;
  /** Set once the flow is over; the run then only waits for its legs to end. */
  closing: Closing | undefined;
  event: { name: string; data: Json } | undefined;
  readonly limits: CallLimits;
  readonly #spec: RunSpec;
  readonly #ports: RunPorts;
  readonly #exchange: Exchange;
  readonly #mailbox = new Mailbox<Letter>();
  readonly #desk: CommandDesk;
  readonly #chance: () => number;
  readonly #ledger: Ledger;
  /** Whatever is still asked for when the run is over is given up. */
  readonly #requests = new AbortController();
  #overtime = false;
  #over = false;
  #finished!: () => void;

  constructor(spec: RunSpec, ports: RunPorts, exchange: Exchange = ALONE) {
    this.#spec = spec;
    this.#ports = ports;
    this.#exchange = exchange;
    this.direction = spec.direction;
    this.eventUrl = spec.eventUrl;
    this.nowMs = ports.clock.now();
    this.#chance = seededChance(spec.seed);
    this.mask.learn(spec.secrets);
    this.mask.learnVariables(spec.input, spec.flow.input);
    this.done = new Promise((resolve) => {
      this.#finished = resolve;
    });
    const record = recordOf(spec, this.nowMs);
    const { projectId } = spec;
    const cli = spec.direction === 'outbound' ? spec.from : spec.to;
    const post = (input: RunInput): void => this.post(input);
    this.record = record;
    this.#ledger = new Ledger(ports, record, this.mask);
    this.limits = limitsOf(this.#ledger, ports.clock, () => this.nowMs);
    this.deadlines = new Deadlines(this, ports.clock, post);
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
    this.bridges = new Bridges(this, record);
    this.recordings = new Recordings(this, record, ports.recordings);
    this.background = new Background(this, {
      lines: this.lines,
      record,
      recordings: this.recordings,
      mayStream: (url) => ports.mayStream(projectId, url),
      isSensitive: () => this.#isSensitive(undefined),
    });
    this.places = new Places(this, record, ports.venues, post);
    this.ways = new Ways(this, {
      steps: ports.steps,
      flow: ports.flow,
      env: spec.env,
      secrets: spec.secrets,
      schedules: spec.schedules,
      locale: spec.flow.locale,
      ...(ports.recordedVars ? { recordedVars: ports.recordedVars } : {}),
    });
    this.#desk = new CommandDesk(this, { flow: spec.flow, cli, strictBridgeState: spec.strictBridgeState ?? true });
  }

  get legId(): string {
    return this.#spec.legId;
  }

  /** Of its own line, and of those parties that have not ended. */
  get legIds(): string[] {
    return [this.legId, ...this.lines.parties.map(({ legId }) => legId)];
  }

  /** How many entries its journal has, those of the decision in the making included. */
  get journalLength(): number {
    return this.#ledger.length;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Begins the run and carries it to its end; resolves as `done`. */
  start(): Promise<void> {
    this.post({ type: 'start' });
    void this.#live();
    return this.done;
  }

  post(input: RunInput): void {
    this.#mailbox.post({ input });
  }

  /** Asks something of the live call; answered after the decision is committed. */
  command(command: CallCommand, source?: CommandSource): Promise<CommandReply> {
    if (this.#over) return Promise.resolve({ ok: false, refusal: 'ended' });
    const input: RunInput = { type: 'command', command, ...(source ? { source } : {}) };
    return new Promise((reply) => this.#mailbox.post({ input, reply }));
  }

  /** Asks for the party with which this leg is bridged; answered after it was let go here. */
  giveUp(wanted: string, answer: (handover: Handover | undefined) => void): void {
    if (this.#over) answer(undefined);
    else this.#mailbox.post({ wanted, answer });
  }

  view(): CallView {
    const { main } = this.ways;
    return {
      record: this.record,
      legState: this.lines.main.state,
      flow: main.flow?.name,
      step: main.visit?.step.name,
      verb: main.visit?.step.verb,
    };
  }

  async #live(): Promise<void> {
    let letter: Letter | undefined;
    try {
      while (!this.#over) {
        letter = await this.#mailbox.take();
        this.nowMs = this.#ports.clock.now();
        this.limits.stepsAtOnce = 0;
        await this.#read(letter);
        this.#finishIfAlone();
        await this.#ledger.commit(this.ways.checkpoint());
      }
    } catch (error) {
      await this.#collapse(error);
      if (letter) this.#returnToSender(letter);
    }
    for (const left of this.#mailbox.close()) this.#returnToSender(left);
    this.deadlines.cancelAll();
    this.#requests.abort();
    this.#finished();
  }

  /** The run is over: whoever waits for an answer has it. */
  #returnToSender(letter: Letter): void {
    if ('wanted' in letter) {
      letter.answer(undefined);
      return;
    }
    letter.reply?.({ ok: false, refusal: 'ended' });
    const { input } = letter;
    if (input.type !== 'taken_over' || input.leg === undefined) return;
    this.#ports.engine.send(input.leg, { type: 'hangup', cause: NORMAL_CLEARING.code });
  }

  /** The crash wall: what was being decided is given up, everybody on the call is let go, the end is written. */
  async #collapse(error: unknown): Promise<void> {
    this.#over = true;
    const lost = this.#ledger.discard();
    this.#report(error);
    try {
      if (this.lines.main.state !== 'ended') {
        this.#endRecord(TEMPORARY_FAILURE, !this.isAnswered && this.direction === 'outbound');
      } else if (lost.some(({ kind }) => kind === 'state')) {
        // The end of the leg was in the decision that is given up: it has to be told again.
        this.#setState(this.record.state, this.record.cause);
      }
    } catch (second) {
      this.#report(second);
    }
    this.lines.drop(TEMPORARY_FAILURE.code, (second) => this.#report(second));
    const message = error instanceof Error ? error.message : String(error);
    this.recordings.abandon();
    this.note({ kind: 'ended', reason: 'fault', fault: fault('internal', message) });
    await this.#ledger.commit(this.ways.checkpoint()).catch((third) => this.#report(third));
  }

  #report(error: unknown): void {
    try {
      this.#ports.crashed(this.record.callId, error);
    } catch {
      // Whoever is told of crashes must not keep the call from its end.
    }
  }

  get isAnswered(): boolean {
    return this.record.answeredMs !== undefined;
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  // Inputs

  async #read(letter: Letter): Promise<void> {
    if ('wanted' in letter) return this.#onWanted(letter.wanted, letter.answer);
    const { input, reply } = letter;
    switch (input.type) {
      case 'start':
        return this.#begin();
      case 'leg':
        return this.#onLeg(input);
      case 'deadline': {
        const visit = this.ways.visits.find(({ timer }) => timer === input.timer);
        if (!visit) return;
        this.note({ kind: 'in', input });
        return this.ways.resume(visit, { type: 'timeout' });
      }
      case 'http':
        return this.#deliver({ type: 'http', requestId: input.requestId, reply: input.reply }, input);
      case 'command': {
        const answer = await this.#desk.take(input);
        if (reply) this.effect(() => reply(answer));
        return;
      }
      case 'diagnosis':
        this.note({ kind: 'in', input });
        return this.note({ kind: 'diagnostic', code: input.code, message: input.message });
      case 'venue': {
        const visit = this.places.visitOf(input.ticket);
        if (!visit || !this.ways.visits.includes(visit)) return;
        const { ticket, name, data } = input;
        this.note({ kind: 'in', input });
        this.places.told(ticket, name, data);
        return this.ways.resume(visit, { type: 'venue', ticket, name, data });
      }
      case 'taken_over':
        return this.#onTakenOver(input);
      case 'given_up':
        return this.#onGivenUp(input);
      case 'max_duration':
        if (this.closing) return;
        this.note({ kind: 'in', input });
        if (this.#overtime || !(await this.ways.interrupt('max_duration'))) return this.close({ reason: 'limit' });
        this.#overtime = true;
        this.deadlines.guard(FAREWELL_MS, input);
        return;
      case 'lost':
        this.note({ kind: 'in', input });
        return this.close({ reason: 'lost' });
    }
  }

  async #begin(): Promise<void> {
    const { flow, input, seed, env, dial, announce, legId } = this.#spec;
    const { direction, from, to } = this.record;
    this.note({
      kind: 'started',
      direction,
      from,
      to,
      flow: flow.name,
      flowHash: flow.hash,
      input: hideSensitive(input, flow.input),
      seed,
      locale: flow.locale,
      env,
      leg: legId,
    });
    this.deadlines.guard(flow.limits.maxDurationMs, { type: 'max_duration' });
    if (dial) return this.effect(() => this.#ports.engine.dial(dial));
    if (announce !== false) this.#setState('incomingcall');
    await this.ways.begin(flow, input);
  }

  async #onLeg(input: Extract<RunInput, { type: 'leg' }>): Promise<void> {
    const line = this.lines.find(input.leg);
    if (!line || line.state === 'ended') return;
    if (line !== this.lines.main) return this.#onParty(line, input);
    const { event } = input;
    switch (event.type) {
      case 'ringing':
        if (line.rang || line.state !== 'ringing') return;
        line.rang = true;
        this.record.ringingMs = this.nowMs;
        this.note({ kind: 'in', input });
        return this.#setState('ringing');
      case 'answered':
        if (line.state !== 'ringing') return;
        this.note({ kind: 'in', input });
        line.state = 'connected';
        this.record.answeredMs = this.nowMs;
        this.#setState('connected');
        this.#desk.answered();
        if (this.#spec.dial && !this.closing) return this.ways.begin(this.#spec.flow, this.#spec.input);
        return this.ways.tellAll(event);
      case 'digit':
        return this.#onDigit(event);
      case 'ended':
        return this.#onEnded(event);
      default:
        return this.#onHeard(event, input);
    }
  }

  /** What the caller's line tells besides keys, answers and its end. */
  async #onHeard(event: LegEvent, input: RunInput): Promise<void> {
    if (this.background.owns(event)) {
      // What is said is the application's; the book does without.
      this.note({ kind: 'in', input: { type: 'leg', event: hideHeard(event) } });
      const told = this.background.take(event);
      return told && this.ways.tellAll(told);
    }
    if (event.type === 'record_ended' && this.recordings.isOpen(event.recordId)) {
      const { recordId, durationMs, reason } = event;
      this.recordings.close(recordId, { durationMs, failed: reason === 'failed' });
      const visit = this.ways.visits.find((each) => each.owns(event));
      this.note({ kind: 'in', input });
      return visit && this.ways.resume(visit, event);
    }
    return this.#deliver(event, input);
  }

  async #onDigit(event: Extract<LegEvent, { type: 'digit' }>): Promise<void> {
    if (this.closing) return;
    const visit = this.ways.visits.find(({ wait }) => wait?.digits);
    const taken = visit?.wait?.digits;
    // Digits that are left to another step may turn out to be a PIN; those of a conversation are left to none.
    const isLeftOver = taken ? taken.forNext : !this.bridges.isBridged;
    const hidden = isLeftOver ? this.ways.mayAskSensitive : this.#isSensitive(visit);
    const shown = hidden ? MASK : event.digit;
    this.note({ kind: 'in', input: { type: 'leg', event: { ...event, digit: shown } } });
    if (this.typedAhead.swallows(event.digit, this.nowMs)) return;
    if (!taken?.claims.includes(event.digit) && (await this.ways.interrupt(`dtmf.${event.digit}`, visit))) return;
    if (visit) return this.ways.resume(visit, event);
    if (this.bridges.isBridged) return this.note({ kind: 'digit', digit: shown });
    this.typedAhead.add(event.digit);
  }

  /** Whether what comes for this visit, or for none, is nobody's business. */
  #isSensitive(visit: Visit | undefined): boolean {
    return visit ? visit.step.sensitive : this.ways.visits.some(({ step }) => step.sensitive);
  }

  async #onEnded(event: Extract<LegEvent, { type: 'ended' }>): Promise<void> {
    const { main } = this.lines;
    this.note({ kind: 'in', input: { type: 'leg', event } });
    const unreached = this.direction === 'outbound' && !this.isAnswered;
    const failed = unreached && !main.leaving && (event.by === 'network' || isNetworkFault(event.cause));
    if (event.quality) this.record.quality = event.quality;
    this.lines.end(main);
    this.background.abandon('the line ended');
    this.recordings.abandon();
    await this.#loseCaller(event.cause, failed);
    if (unreached) this.closing ??= { reason: 'hangup' };
  }

  async #loseCaller(cause: Cause, failed: boolean): Promise<void> {
    this.bridges.end();
    await this.ways.loseCaller(() => this.#endRecord(cause, failed));
    this.parties.dismissPartner();
  }

  // Parties

  async #onParty(line: Line, input: Extract<RunInput, { type: 'leg' }>): Promise<void> {
    const { event } = input;
    const told: StepEvent = { type: 'party', party: line.legId, event };
    const visit = this.ways.visits.find((each) => each === line.owner);
    if (event.type === 'ended') {
      this.note({ kind: 'in', input });
      const wasPartner = this.parties.partner === line;
      this.lines.end(line);
      this.parties.forget(line);
      if (wasPartner) this.bridges.close(event.cause);
      return visit && this.ways.resume(visit, told);
    }
    // It was told to end: what it still says is what crossed that on the way.
    if (line.leaving && (event.type === 'ringing' || event.type === 'answered')) return;
    if (event.type === 'ringing' && line.rang) return;
    if (event.type === 'answered' && line.state !== 'ringing') return;
    if (event.type === 'ringing') line.rang = true;
    if (event.type === 'answered') line.state = 'connected';
    if (event.type === 'referred' && !visit) return this.#decline(line, event.referId, input);
    if (event.type === 'referred') visit?.referrals.set(event.referId, line);
    if (!visit?.owns(told) && event.type !== 'ringing' && event.type !== 'answered') return;
    this.note({ kind: 'in', input: visit?.step.sensitive ? hideAnswer(input) : input });
    if (visit) await this.ways.resume(visit, told);
  }

  /** Nobody is there who could connect the far end elsewhere. */
  #decline(line: Line, referId: string, input: RunInput): void {
    this.note({ kind: 'in', input });
    this.lines.decline(line, referId);
  }

  async #onTakenOver(input: Extract<RunInput, { type: 'taken_over' }>): Promise<void> {
    this.note({ kind: 'in', input });
    const visit = this.ways.visits.find(({ number }) => number === input.visit);
    const line = input.leg === undefined ? undefined : this.lines.adopt(input.leg, input.to ?? '');
    if (!visit) return line && this.lines.hangUp(line);
    if (line) line.owner = visit;
    await this.ways.resume(visit, { type: 'taken_over', party: line?.legId ?? null });
  }

  async #onWanted(wanted: string, answer: (handover: Handover | undefined) => void): Promise<void> {
    const line = this.closing ? undefined : this.lines.counterpart(wanted);
    if (!line) return this.effect(() => answer(undefined));
    const { legId } = line;
    const { from, to } = this.record;
    const far = this.direction === 'outbound' ? to : from;
    await this.#onGivenUp({ type: 'given_up', leg: legId });
    this.effect(() => answer({ leg: legId, to: line.to ?? far, unread: this.#unread(line) }));
  }

  async #onGivenUp(input: Extract<RunInput, { type: 'given_up' }>): Promise<void> {
    const line = this.lines.find(input.leg) ?? this.lines.main;
    if (line.state === 'ended') return;
    this.note({ kind: 'in', input });
    const isMain = line === this.lines.main;
    if (isMain) this.background.abandon();
    const visit = this.ways.visits.find((each) => each === line.owner);
    this.lines.end(line);
    this.parties.forget(line);
    // The call goes on without the one it was for: as if that one had hung up.
    if (isMain) return this.#loseCaller(NORMAL_CLEARING, false);
    if (visit) await this.ways.resume(visit, { type: 'given_up', party: line.legId });
  }

  /** What the line told that was not read yet: another call's now. */
  #unread(line: Line): LegEvent[] {
    const leg = line === this.lines.main ? undefined : line.legId;
    const letters = this.#mailbox.extract(
      (letter) => 'input' in letter && letter.input.type === 'leg' && letter.input.leg === leg,
    );
    return letters.flatMap((letter) => ('input' in letter && letter.input.type === 'leg' ? [letter.input.event] : []));
  }

  /** R4: hands an answer to the visit that asked, or drops it; what nobody asked for goes to all that wait. */
  async #deliver(event: StepEvent, input: RunInput): Promise<void> {
    const visits = this.ways.visits.filter((each) => each.owns(event));
    const [visit] = visits;
    if (event.type === 'referred') {
      if (!visit) return this.#decline(this.lines.main, event.referId, input);
      visit.referrals.set(event.referId, this.lines.main);
    }
    if (!visit) return;
    this.note({ kind: 'in', input: visit.step.sensitive ? hideAnswer(input) : input });
    // A request is for one who answers it.
    for (const each of event.type === 'referred' ? [visit] : visits) await this.ways.resume(each, event);
  }

  // What the ways through the flows, and the desk, ask of their run

  async close(closing: Closing, cause: number = NORMAL_CLEARING.code): Promise<void> {
    if (this.closing) return;
    await this.ways.abandon(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.closing = closing;
    this.parties.dismissPartner();
    const broken = closing.fault !== undefined || closing.reason === 'lost';
    this.lines.hangUp(this.lines.main, broken ? TEMPORARY_FAILURE.code : cause);
  }

  takeQueued(signals: readonly string[]): Signal | undefined {
    return this.#desk.takeQueued(signals);
  }

  interruptedBy(name: string, data: Json): void {
    this.event = { name, data };
  }

  nextId(kind: string): string {
    return this.#ports.ids.next(kind);
  }

  random(): number {
    return this.#chance();
  }

  note(entry: NewEntry): void {
    this.#ledger.note(this.nowMs, entry);
  }

  rest(): Promise<void> | undefined {
    return this.#ports.rest?.();
  }

  effect(perform: () => void): void {
    this.#ledger.effect(perform);
  }

  takeOver(visit: Visit, replacesLegId: string): void {
    this.effect(() => this.#exchange.takeOver(replacesLegId, visit.number));
  }

  endBranches(visit: Visit, outcome: string): Promise<void> {
    return this.ways.endBranches(visit, outcome);
  }

  startRequest(visit: Visit, requestId: string, request: HttpRequest): void {
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
        .then((reply) => this.post({ type: 'http', requestId, reply }));
    });
  }

  // State and end

  /** R5 */
  #finishIfAlone(): void {
    if (this.#over || !this.closing || !this.lines.allEnded) return;
    this.note({ kind: 'ended', ...this.closing });
    this.#over = true;
  }

  #endRecord(cause: Cause, failed: boolean): void {
    this.#desk.close();
    this.record.endedMs = this.nowMs;
    this.record.cause = cause;
    this.#setState(failed ? 'failed' : 'disconnected', cause);
  }

  #setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.note({ kind: 'state', state, ...(cause ? { cause } : {}) });
  }
}

function recordOf(spec: RunSpec, nowMs: number): CallRecord {
  const { callId, projectId, direction, from, to, flow, eventUrl, ownerRef, campaignId } = spec;
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
    ...(campaignId === undefined ? {} : { campaignId }),
  };
}

const limitsOf = (ledger: Ledger, clock: Clock, takenMs: () => number): CallLimits => ({
  stepsAtOnce: 0,
  get decidingMs() {
    return clock.now() - takenMs();
  },
  get noted() {
    return ledger.weight;
  },
});
