/**
 * The heart: carries one call through its flow.
 *
 * It takes one input from the mailbox, decides (routes, step programs, expressions), commits the decision in one write,
 * then does it. Neighbours: `traversal.ts` is the way through the flow, `journal.ts` the book, `supervisor.ts` keeps
 * the runs.
 *
 * Invariants
 *  R1 inputs are handled one at a time, each until the step program waits or the run is over;
 *  R2 within one input time stands still: `nowMs` is when the input was taken, so that a replay sees the same time;
 *  R3 no command, request or reply leaves before the decision behind it is committed;
 *  R4 an answer to something an earlier visit started is dropped in `#deliver`, and only there;
 *  R5 a run ends exactly once, after its leg has ended.
 */
import type { Cause } from '../core/causes.ts';
import { causeOf, isNetworkFault, NORMAL_CLEARING, TEMPORARY_FAILURE } from '../core/causes.ts';
import type { Clock, Timer } from '../core/clock.ts';
import { fault } from '../core/fault.ts';
import type { Ids } from '../core/ids.ts';
import { seededChance } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegCommand, LegEvent } from '../core/leg.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { HttpReply, HttpRequest, StepDefinition, StepEvent } from '../steps/step.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import type { Signal } from './command.ts';
import { refusalOf, signalOf } from './command.ts';
import type {
  CallCommand,
  CallRecord,
  CallState,
  CommandReply,
  Direction,
  NewEntry,
  Refusal,
  RunInput,
} from './journal.ts';
import { MASK } from './journal.ts';
import { Ledger, type LedgerPorts } from './ledger.ts';
import { Mailbox } from './mailbox.ts';
import { hideReply, hideSensitive, Mask } from './mask.ts';
import type { Closing, TraversalHost } from './traversal.ts';
import { Traversal } from './traversal.ts';
import { TypedAhead } from './typed-ahead.ts';
import type { Visit } from './visit.ts';

/** How long a leg may take to end after it was hung up: longer than a SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
/** What a flow may still do after its `max_duration` interrupt. */
const FAREWELL_MS = 60_000;
/** Recovery on timer expiry (Q.850): the engine never told us the end of a leg. */
const LEG_LOST_CAUSE = 102;

export interface RunPorts extends LedgerPorts {
  clock: Clock;
  ids: Ids;
  engine: Pick<Engine, 'dial' | 'send'>;
  /** A flow by name, or compiled from an embedded document. */
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  steps: ReadonlyMap<string, StepDefinition>;
  http(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply>;
  recordingFile(callId: string, recordId: string): string;
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
  /** Inbound: whether `incomingcall` is told at once (default); a flow that greets first tells it itself. */
  announce?: boolean;
}

interface Letter {
  input: RunInput;
  reply?: (reply: CommandReply) => void;
}

export interface CallView {
  record: CallRecord;
  legState: 'ringing' | 'connected' | 'ended';
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
  legState: 'ringing' | 'connected' | 'ended' = 'ringing';
  /** The time of the input being handled (R2). */
  nowMs: number;
  /** Set once the flow is over; the run then only waits for its leg to end. */
  closing: Closing | undefined;
  readonly #spec: RunSpec;
  readonly #ports: RunPorts;
  readonly #mailbox = new Mailbox<Letter>();
  readonly #way: Traversal;
  readonly #chance: () => number;
  readonly #queued: CallCommand[] = [];
  readonly #guards: Timer[] = [];
  #timers = 0;
  #timer: Timer | undefined;
  readonly #ledger: Ledger;
  /** Whatever is still asked for when the run is over is given up. */
  readonly #requests = new AbortController();
  #rang = false;
  #hungUp = false;
  #overtime = false;
  #over = false;
  #finished!: () => void;

  constructor(spec: RunSpec, ports: RunPorts) {
    this.#spec = spec;
    this.#ports = ports;
    this.direction = spec.direction;
    this.eventUrl = spec.eventUrl;
    this.nowMs = ports.clock.now();
    this.#chance = seededChance(spec.seed);
    this.mask.learn(spec.secrets);
    this.mask.learnVariables(spec.input, spec.flow.input);
    this.done = new Promise((resolve) => {
      this.#finished = resolve;
    });
    this.record = {
      callId: spec.callId,
      projectId: spec.projectId,
      direction: spec.direction,
      from: spec.from,
      to: spec.to,
      state: spec.direction === 'inbound' ? 'incomingcall' : 'initiated',
      flow: spec.flow.name,
      flowHash: spec.flow.hash,
      startedMs: this.nowMs,
      ...(spec.eventUrl === undefined ? {} : { eventUrl: spec.eventUrl }),
      ...(spec.ownerRef === undefined ? {} : { ownerRef: spec.ownerRef }),
    };
    this.#ledger = new Ledger(ports, this.record, this.mask);
    this.#way = new Traversal(this, {
      steps: ports.steps,
      flow: ports.flow,
      env: spec.env,
      secrets: spec.secrets,
      schedules: spec.schedules,
      locale: spec.flow.locale,
      ...(ports.recordedVars ? { recordedVars: ports.recordedVars } : {}),
    });
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
  command(command: CallCommand): Promise<CommandReply> {
    if (this.#over) return Promise.resolve({ ok: false, refusal: 'ended' });
    return new Promise((reply) => this.#mailbox.post({ input: { type: 'command', command }, reply }));
  }

  view(): CallView {
    const visit = this.#way.visit;
    return {
      record: this.record,
      legState: this.legState,
      flow: this.#way.flow?.name,
      step: visit?.step.name,
      verb: visit?.step.verb,
    };
  }

  async #live(): Promise<void> {
    let letter: Letter | undefined;
    try {
      while (!this.#over) {
        letter = await this.#mailbox.take();
        this.nowMs = this.#ports.clock.now();
        await this.#take(letter);
        await this.#ledger.commit(this.#way.checkpoint());
      }
    } catch (error) {
      await this.#collapse(error);
      letter?.reply?.({ ok: false, refusal: 'ended' });
    }
    for (const { reply } of this.#mailbox.close()) reply?.({ ok: false, refusal: 'ended' });
    this.#timer?.cancel();
    for (const timer of this.#guards) timer.cancel();
    this.#requests.abort();
    this.#finished();
  }

  /** The crash wall: what was being decided is given up, the caller is let go, the end is written. */
  async #collapse(error: unknown): Promise<void> {
    this.#over = true;
    const lost = this.#ledger.discard();
    this.#report(error);
    try {
      if (this.legState !== 'ended') {
        this.#endRecord(TEMPORARY_FAILURE, !this.#answered && this.direction === 'outbound');
        this.#ports.engine.send(this.#spec.legId, { type: 'hangup', cause: TEMPORARY_FAILURE.code });
      } else if (lost.some(({ kind }) => kind === 'state')) {
        // The end of the leg was in the decision that is given up: it has to be told again.
        this.#setState(this.record.state, this.record.cause);
      }
    } catch (second) {
      this.#report(second);
    }
    const message = error instanceof Error ? error.message : String(error);
    this.note({ kind: 'ended', reason: 'fault', fault: fault('internal', message) });
    await this.#ledger.commit(this.#way.checkpoint()).catch((third) => this.#report(third));
  }

  #report(error: unknown): void {
    try {
      this.#ports.crashed(this.record.callId, error);
    } catch {
      // Whoever is told of crashes must not keep the call from its end.
    }
  }

  get #answered(): boolean {
    return this.record.answeredMs !== undefined;
  }

  // Inputs

  async #take({ input, reply }: Letter): Promise<void> {
    switch (input.type) {
      case 'start':
        return this.#begin();
      case 'leg':
        return this.#onLeg(input.event);
      case 'deadline': {
        const visit = this.#way.visit;
        if (visit?.timer !== input.timer) return;
        this.note({ kind: 'in', input });
        return this.#way.resume({ type: 'timeout' });
      }
      case 'http':
        return this.#deliver({ type: 'http', requestId: input.requestId, reply: input.reply }, input);
      case 'command': {
        const answer = await this.#onCommand(input);
        if (reply) this.effect(() => reply(answer));
        return;
      }
      case 'max_duration':
        if (this.closing) return;
        this.note({ kind: 'in', input });
        if (this.#overtime || !(await this.#way.interrupt('max_duration'))) return this.close({ reason: 'limit' });
        this.#overtime = true;
        return this.#guard(FAREWELL_MS, input);
      case 'lost':
        this.note({ kind: 'in', input });
        return this.close({ reason: 'lost' });
    }
  }

  async #begin(): Promise<void> {
    const { flow, input, seed, env, dial, announce } = this.#spec;
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
    });
    this.#guard(flow.limits.maxDurationMs, { type: 'max_duration' });
    if (dial) {
      this.effect(() => this.#ports.engine.dial(dial));
      return;
    }
    if (announce !== false) this.#setState('incomingcall');
    await this.#way.begin(flow, input);
  }

  async #onLeg(event: LegEvent): Promise<void> {
    const input: RunInput = { type: 'leg', event };
    switch (event.type) {
      case 'ringing':
        if (this.#rang || this.legState !== 'ringing') return;
        this.#rang = true;
        this.note({ kind: 'in', input });
        return this.#setState('ringing');
      case 'answered':
        if (this.legState !== 'ringing') return;
        this.note({ kind: 'in', input });
        this.legState = 'connected';
        this.record.answeredMs = this.nowMs;
        this.#setState('connected');
        if (this.#spec.dial && !this.closing) return this.#way.begin(this.#spec.flow, this.#spec.input);
        return this.#way.resume(event);
      case 'digit':
        return this.#onDigit(event);
      case 'ended':
        return this.#onEnded(event);
      default:
        return this.#deliver(event, input);
    }
  }

  async #onDigit(event: Extract<LegEvent, { type: 'digit' }>): Promise<void> {
    if (this.closing) return;
    const visit = this.#way.visit;
    const taken = visit?.wait?.digits;
    // Digits that are left to another step may turn out to be a PIN.
    const hidden = taken && !taken.forNext ? visit.step.sensitive : this.#way.mayAskSensitive;
    this.note({ kind: 'in', input: { type: 'leg', event: hidden ? { ...event, digit: MASK } : event } });
    if (this.typedAhead.swallows(event.digit, this.nowMs)) return;
    if (!taken?.claims.includes(event.digit) && (await this.#way.interrupt(`dtmf.${event.digit}`))) return;
    if (taken) return this.#way.resume(event);
    this.typedAhead.add(event.digit);
  }

  async #onEnded(event: Extract<LegEvent, { type: 'ended' }>): Promise<void> {
    if (this.legState === 'ended') return;
    this.note({ kind: 'in', input: { type: 'leg', event } });
    const unreached = this.direction === 'outbound' && !this.#answered;
    this.legState = 'ended';
    const failed = unreached && !this.#hungUp && (event.by === 'network' || isNetworkFault(event.cause));
    await this.#way.hangup(() => this.#endRecord(event.cause, failed));
    if (unreached) this.closing ??= { reason: 'hangup' };
    if (this.closing && !this.#over) this.#finish();
  }

  /** R4: hands an answer to the visit that asked, or drops it. */
  async #deliver(event: StepEvent, input: RunInput): Promise<void> {
    const visit = this.#way.visit;
    if (!visit?.owns(event)) return;
    this.note({ kind: 'in', input: visit.step.sensitive ? hideReply(input) : input });
    await this.#way.resume(event);
  }

  async #onCommand(input: Extract<RunInput, { type: 'command' }>): Promise<CommandReply> {
    const { command } = input;
    const refusal = this.#refusalOf(command);
    if (refusal) {
      this.note({ kind: 'refused', command: command.type, refusal });
      return { ok: false, refusal };
    }
    this.note({ kind: 'in', input });
    if (command.type === 'hangup') {
      await this.close({ reason: 'hangup' }, command.cause);
      return { ok: true };
    }
    const signal = signalOf(command);
    if (this.#awaits(signal)) await this.#way.resume(signal);
    else if (!(await this.#way.interrupt(signal.name))) this.#queued.push(command);
    return { ok: true };
  }

  #refusalOf(command: CallCommand): Refusal | undefined {
    return refusalOf(command, {
      over: this.closing !== undefined || this.legState === 'ended',
      allowed: this.#spec.flow.api[command.type] !== false,
      awaited: this.#awaits(signalOf(command)),
      handled: this.#way.handles(signalOf(command).name),
      answered: this.#answered || this.direction === 'outbound',
      ringing: this.legState === 'ringing',
      heard: this.#way.visit?.definition.media ?? false,
      queued: this.#queued.length > 0,
      waitsLater: [...this.#spec.flow.steps.values()].some((step) => step.verb === 'wait_for'),
    });
  }

  #awaits(signal: Signal): boolean {
    return this.#way.visit?.wait?.signals?.includes(signal.name) ?? false;
  }

  // What the way through the flow asks of its run

  async close(closing: Closing, cause: number = NORMAL_CLEARING.code): Promise<void> {
    if (this.closing) return;
    await this.#way.abandon(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.closing = closing;
    if (this.legState === 'ended') return this.#finish();
    const broken = closing.fault !== undefined || closing.reason === 'lost';
    if (!this.#hungUp) this.sendToLeg({ type: 'hangup', cause: broken ? TEMPORARY_FAILURE.code : cause });
    this.#guard(LEG_END_GRACE_MS, {
      type: 'leg',
      event: { type: 'ended', cause: causeOf(LEG_LOST_CAUSE), by: 'network' },
    });
  }

  arm(visit: Visit, withinMs: number): void {
    const timer = ++this.#timers;
    visit.timer = timer;
    this.note({ kind: 'timer', timer, visit: visit.number, afterMs: withinMs });
    const dueMs = this.nowMs + withinMs;
    this.effect(() => {
      if (visit.timer === timer) this.#timer = this.#after(dueMs, { type: 'deadline', timer });
    });
  }

  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  takeQueued(signals: readonly string[]): Signal | undefined {
    const index = this.#queued.findIndex((command) => signals.includes(signalOf(command).name));
    return index < 0 ? undefined : signalOf(this.#queued.splice(index, 1)[0]!);
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

  get noted(): number {
    return this.#ledger.weight;
  }

  get decidingMs(): number {
    return this.#ports.clock.now() - this.nowMs;
  }

  rest(): Promise<void> | undefined {
    return this.#ports.rest?.();
  }

  effect(perform: () => void): void {
    this.#ledger.effect(perform);
  }

  sendToLeg(command: LegCommand, shown: LegCommand = command): void {
    if (this.legState === 'ended') return;
    if (command.type === 'hangup' || command.type === 'reject') this.#hungUp = true;
    this.note({ kind: 'command', command: shown, visit: this.#way.visit?.number ?? 0 });
    this.effect(() => this.#ports.engine.send(this.#spec.legId, command));
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

  recordingFile(recordId: string): string {
    return this.#ports.recordingFile(this.record.callId, recordId);
  }

  // Time, state

  #finish(): void {
    this.note({ kind: 'ended', ...this.closing! });
    this.#over = true;
  }

  #guard(delayMs: number, input: RunInput): void {
    const dueMs = this.nowMs + delayMs;
    this.effect(() => this.#guards.push(this.#after(dueMs, input)));
  }

  #after(dueMs: number, input: RunInput): Timer {
    return this.#ports.clock.after(dueMs - this.#ports.clock.now(), () => this.post(input));
  }

  #endRecord(cause: Cause, failed: boolean): void {
    for (const command of this.#queued.splice(0)) {
      if (command.type !== 'play') continue;
      const { playId, promptRef } = command;
      this.note({ kind: 'unplayed', playId, ...(promptRef === undefined ? {} : { promptRef }) });
    }
    this.record.endedMs = this.nowMs;
    this.record.cause = cause;
    this.#setState(failed ? 'failed' : 'disconnected', cause);
  }

  #setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.note({ kind: 'state', state, ...(cause ? { cause } : {}) });
  }
}
