/**
 * The heart: carries one call through its flow.
 *
 * It takes one input from the mailbox, decides (routes, step programs, expressions), commits the decision in one write,
 * then does it. Neighbours: `visit.ts` is one step being run, `flow/` says where to go, `journal.ts` is the book.
 *
 * Invariants
 *  R1 inputs are handled one at a time, each until every step program waits or has ended;
 *  R2 within one input time stands still: `nowMs` is when the input was taken, so that a replay sees the same time;
 *  R3 no command, request or reply leaves before the decision behind it is committed;
 *  R4 an answer to something an earlier visit started is dropped in `#deliver`, and only there;
 *  R5 a run ends exactly once, after its leg has ended.
 */
import type { Cause } from '../core/causes.ts';
import { causeOf, isNetworkFault, NORMAL_CLEARING } from '../core/causes.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { Delivery } from '../core/delivery.ts';
import type { Fault } from '../core/fault.ts';
import { fault } from '../core/fault.ts';
import type { Ids } from '../core/ids.ts';
import { seededChance } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegCommand, LegEvent } from '../core/leg.ts';
import { compileExpression, evaluate } from '../flow/expression.ts';
import { resolvePrompt } from '../flow/library.ts';
import { compileTemplate, renderTemplate } from '../flow/template.ts';
import type { CompiledFlow, CompiledStep, EvaluationContext, Scope } from '../flow/types.ts';
import { END } from '../flow/types.ts';
import type { HttpReply, HttpRequest, StepDefinition, StepEvent, StepResult } from '../steps/step.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import type { Book } from './book.ts';
import type {
  CallCommand,
  CallRecord,
  CallState,
  CommandReply,
  Direction,
  JournalEntry,
  NewEntry,
  Refusal,
  RunInput,
} from './journal.ts';
import { MASK } from './journal.ts';
import { Mailbox } from './mailbox.ts';
import { hideReply, hideSensitive, Mask, maskEntry } from './mask.ts';
import type { VisitHost } from './visit.ts';
import { Visit } from './visit.ts';

/** How long a leg may take to end after it was hung up: longer than any SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
const LONGEST_TYPE_AHEAD = 64;
/** Recovery on timer expiry (Q.850): the engine never told us the end of a leg. */
const LEG_LOST_CAUSE = 102;
const MOST_FRAMES = 20;

export interface RunPorts {
  clock: Clock;
  ids: Ids;
  engine: Pick<Engine, 'dial' | 'send'>;
  book: Pick<Book, 'commit'>;
  flow(name: string): CompiledFlow | undefined;
  steps: ReadonlyMap<string, StepDefinition>;
  http(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply>;
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  recordingFile(callId: string, recordId: string): string;
  /** Told of everything that the run could not handle itself. */
  crashed(callId: string, error: unknown): void;
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
  /** Whether `incomingcall` is told at once; a flow that greets first tells it itself. */
  announce?: boolean;
}

/** One flow being carried out; subflows stack. */
interface Frame {
  flow: CompiledFlow;
  input: JsonObject;
  vars: JsonObject;
  results: JsonObject;
  counts: Map<string, number>;
  visit: Visit | undefined;
}

interface Closing {
  reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost';
  fault?: Fault;
  output?: Json;
}

type Turn = { result: StepResult } | { call: Frame } | undefined;

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

export class Run implements VisitHost {
  readonly done: Promise<void>;
  readonly record: CallRecord;
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  legState: 'ringing' | 'connected' | 'ended' = 'ringing';
  nowMs: number;
  readonly #spec: RunSpec;
  readonly #ports: RunPorts;
  readonly #mailbox = new Mailbox<Letter>();
  readonly #mask = new Mask();
  readonly #chance: () => number;
  readonly #frames: Frame[] = [];
  readonly #queued: CallCommand[] = [];
  #typedAhead = '';
  #visits = 0;
  #timers = 0;
  #timer: Timer | undefined;
  #guards: Timer[] = [];
  #seq = 0;
  #entries: JournalEntry[] = [];
  #deliveries: Delivery[] = [];
  #effects: (() => void)[] = [];
  #calling: Frame | undefined;
  #rang = false;
  #hungUp = false;
  /** Set once the flow is over; the run then only waits for its leg to end. */
  #closing: Closing | undefined;
  #hangupRouted = false;
  #over = false;
  #finished!: () => void;

  constructor(spec: RunSpec, ports: RunPorts) {
    this.#spec = spec;
    this.#ports = ports;
    this.direction = spec.direction;
    this.eventUrl = spec.eventUrl;
    this.nowMs = ports.clock.now();
    this.#mask.learn(spec.secrets);
    this.#chance = seededChance(spec.seed);
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
  }

  /** Begins the run and carries it to its end; resolves as `done`. */
  start(): Promise<void> {
    this.#mailbox.post({ input: { type: 'start' } });
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
    const frame = this.#frames.at(-1);
    return {
      record: this.record,
      legState: this.legState,
      flow: frame?.flow.name,
      step: frame?.visit?.step.name,
      verb: frame?.visit?.step.verb,
    };
  }

  async #live(): Promise<void> {
    try {
      while (!this.#over) {
        const letter = await this.#mailbox.take();
        this.nowMs = this.#ports.clock.now();
        await this.#take(letter);
        await this.#commit();
      }
    } catch (error) {
      this.#ports.crashed(this.record.callId, error);
      await this.#collapse(error);
    }
    for (const letter of this.#mailbox.close()) letter.reply?.({ ok: false, refusal: 'ended' });
    for (const timer of [this.#timer, ...this.#guards]) timer?.cancel();
    this.#finished();
  }

  /** The crash wall: whatever was being decided is given up, the caller is let go, the end is written. */
  async #collapse(error: unknown): Promise<void> {
    this.#over = true;
    this.#entries = [];
    this.#deliveries = [];
    this.#effects = [];
    if (this.legState !== 'ended') {
      this.#ports.engine.send(this.#spec.legId, { type: 'hangup', cause: 41 });
      this.#setState(this.record.direction === 'outbound' && !this.#answered ? 'failed' : 'disconnected', causeOf(41));
    }
    const message = error instanceof Error ? error.message : String(error);
    this.note({ kind: 'ended', reason: 'fault', fault: fault('internal', this.#mask.apply(message)) });
    await this.#commit().catch((second) => this.#ports.crashed(this.record.callId, second));
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
        const visit = this.#frames.at(-1)?.visit;
        if (!visit || visit.timer !== input.timer) return;
        visit.timer = undefined;
        this.note({ kind: 'in', input });
        return this.#continue({ type: 'timeout' });
      }
      case 'http':
        return this.#deliver({ type: 'http', requestId: input.requestId, reply: input.reply }, input);
      case 'command': {
        const answer = await this.#onCommand(input);
        if (reply) this.effect(() => reply(answer));
        return;
      }
      case 'max_duration':
        if (this.#closing) return;
        this.note({ kind: 'in', input });
        if (!(await this.#interrupt('max_duration'))) await this.#close({ reason: 'limit' });
        return;
      case 'lost':
        this.note({ kind: 'in', input });
        await this.#close({ reason: 'lost' });
        return;
    }
  }

  async #begin(): Promise<void> {
    const { spec, record } = { spec: this.#spec, record: this.record };
    this.note({
      kind: 'started',
      direction: record.direction,
      from: record.from,
      to: record.to,
      flow: spec.flow.name,
      flowHash: spec.flow.hash,
      input: spec.input,
      seed: spec.seed,
      locale: spec.flow.locale,
      env: spec.env,
    });
    this.#guard(spec.flow.limits.maxDurationMs, { type: 'max_duration' });
    if (spec.dial) {
      const dial = spec.dial;
      this.effect(() => this.#ports.engine.dial(dial));
      return;
    }
    if (spec.announce !== false) this.#setState('incomingcall');
    await this.#carryOn({ call: this.#frame(spec.flow, spec.input) });
  }

  async #onLeg(event: LegEvent): Promise<void> {
    const input: RunInput = { type: 'leg', event };
    switch (event.type) {
      case 'ringing':
        if (this.#rang || this.legState !== 'ringing') return;
        this.#rang = true;
        this.note({ kind: 'in', input });
        this.#setState('ringing');
        return;
      case 'answered':
        if (this.legState !== 'ringing') return;
        this.note({ kind: 'in', input });
        this.legState = 'connected';
        this.record.answeredMs = this.nowMs;
        this.#setState('connected');
        if (this.#spec.dial && !this.#closing) {
          return this.#carryOn({ call: this.#frame(this.#spec.flow, this.#spec.input) });
        }
        return this.#continue(event);
      case 'digit':
        return this.#onDigit(event);
      case 'ended':
        return this.#onEnded(event);
      default:
        return this.#deliver(event, input);
    }
  }

  async #onDigit(event: Extract<LegEvent, { type: 'digit' }>): Promise<void> {
    if (this.#closing) return;
    const visit = this.#frames.at(-1)?.visit;
    const taken = visit?.wait?.digits;
    const hidden = taken ? visit.step.sensitive : this.#mayBecomeSensitive();
    if (hidden && visit) visit.masked = true;
    this.note({ kind: 'in', input: { type: 'leg', event: hidden ? { ...event, digit: MASK } : event } });
    if (!taken?.claims.includes(event.digit) && (await this.#interrupt(`dtmf.${event.digit}`))) return;
    if (taken) return this.#continue(event);
    if (this.#typedAhead.length < LONGEST_TYPE_AHEAD) this.#typedAhead += event.digit;
  }

  /** Digits typed ahead may turn out to be a PIN: in a flow with a sensitive step they are masked. */
  #mayBecomeSensitive(): boolean {
    return this.#frames.some(({ flow }) => [...flow.steps.values()].some((step) => step.sensitive));
  }

  async #onEnded(event: Extract<LegEvent, { type: 'ended' }>): Promise<void> {
    if (this.legState === 'ended') return;
    this.note({ kind: 'in', input: { type: 'leg', event } });
    const dialFailed = !this.#answered && this.direction === 'outbound';
    this.legState = 'ended';
    this.record.endedMs = this.nowMs;
    this.record.cause = event.cause;
    const failed = dialFailed && !this.#hungUp && (event.by === 'network' || isNetworkFault(event.cause));
    this.#setState(failed ? 'failed' : 'disconnected', event.cause);
    if (this.#frames.length === 0) this.#closing ??= { reason: 'hangup' };
    if (this.#closing) return this.#finish();
    if (this.#frames.at(-1)?.visit?.definition.needsCall) await this.#carryOn({ result: { outcome: 'hangup' } });
  }

  /** R4: hands an answer to the visit that asked, or drops it. */
  async #deliver(event: StepEvent, input: RunInput): Promise<void> {
    const visit = this.#frames.at(-1)?.visit;
    if (!visit?.owns(event)) return;
    this.note({ kind: 'in', input: visit.step.sensitive ? hideReply(input) : input });
    await this.#continue(event);
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
      await this.#close({ reason: 'hangup' }, command.cause);
      return { ok: true };
    }
    const signal = signalOf(command);
    if (this.#frames.at(-1)?.visit?.wait?.signals?.includes(signal.name)) {
      await this.#continue(signal);
    } else if (command.type !== 'event' || !(await this.#interrupt(`event.${command.name}`))) {
      this.#queued.push(command);
    }
    return { ok: true };
  }

  /** Whether the command fits the state of the call: the one place where REST meets the machine. */
  #refusalOf(command: CallCommand): Refusal | undefined {
    if (this.#closing || this.legState === 'ended') return 'ended';
    if (this.#spec.flow.api[command.type] === false) return 'not_accepted_here';
    if (command.type === 'hangup') return undefined;
    const frame = this.#frames.at(-1);
    const taken = frame?.visit?.wait?.signals?.includes(signalOf(command).name) ?? false;
    switch (command.type) {
      case 'accept':
        if (this.direction === 'outbound' || this.legState === 'connected') return 'already_answered';
        return taken ? undefined : 'not_accepted_here';
      case 'play':
      case 'flow': {
        if (taken) return undefined;
        if (this.#queued.length > 0) return 'play_pending';
        if (this.legState === 'ringing' && this.#takesCommands()) return undefined;
        return frame?.visit?.definition.media ? 'play_pending' : 'not_accepted_here';
      }
      case 'event':
        return taken || this.#handles(`event.${command.name}`) ? undefined : 'not_accepted_here';
    }
  }

  /** A call that is not answered yet keeps a command when its flow will wait for commands. */
  #takesCommands(): boolean {
    return [...this.#spec.flow.steps.values()].some((step) => step.verb === 'wait_for');
  }

  #handles(interrupt: string): boolean {
    return this.#frames.some(({ flow }) => Object.hasOwn(flow.events, interrupt));
  }

  /** Leaves whatever is running for the step that the innermost flow with this interrupt names. */
  async #interrupt(name: string): Promise<boolean> {
    const index = this.#frames.findLastIndex(({ flow }) => Object.hasOwn(flow.events, name));
    if (index < 0) return false;
    while (this.#frames.length - 1 > index) await this.#dropFrame(`$${name}`);
    const frame = this.#frames[index]!;
    await this.#endVisit(frame, { outcome: `$${name}` });
    await this.#carryOn(await this.#enter(frame, frame.flow.events[name]!));
    return true;
  }

  // The flow

  #frame(flow: CompiledFlow, input: JsonObject): Frame {
    const defaults = (specs: CompiledFlow['vars']): JsonObject =>
      Object.fromEntries(
        Object.entries(specs).flatMap(([k, spec]) => (spec.default === undefined ? [] : [[k, spec.default]])),
      );
    return {
      flow,
      input: { ...defaults(flow.input), ...input },
      vars: defaults(flow.vars),
      results: {},
      counts: new Map(),
      visit: undefined,
    };
  }

  async #continue(event: StepEvent): Promise<void> {
    const frame = this.#frames.at(-1);
    if (frame?.visit?.program) await this.#carryOn(await this.#pump(frame, event));
  }

  /** Runs steps until one waits or the run closes. */
  async #carryOn(first: Turn): Promise<void> {
    let turn = first;
    while (turn && !this.#closing) {
      if ('call' in turn) {
        this.#frames.push(turn.call);
        turn = await this.#enter(turn.call, turn.call.flow.start);
      } else {
        turn = await this.#leave(turn.result);
      }
    }
  }

  async #enter(frame: Frame, name: string): Promise<Turn> {
    const step = frame.flow.steps.get(name)!;
    const definition = this.#ports.steps.get(step.verb)!;
    const visit = new Visit(this, ++this.#visits, step, definition);
    frame.visit = visit;
    const depth = this.#frames.length - 1;
    this.note({ kind: 'entered', step: name, verb: step.verb, visit: visit.number, depth, flow: frame.flow.name });
    if (this.#visits > frame.flow.limits.maxSteps) {
      await this.#close({
        reason: 'limit',
        fault: fault('too_many_steps', `the flow took more than ${frame.flow.limits.maxSteps} steps`),
      });
      return undefined;
    }
    const count = (frame.counts.get(name) ?? 0) + 1;
    frame.counts.set(name, count);
    if (step.maxVisits !== undefined && count > step.maxVisits) return { result: { outcome: 'limit' } };
    if (definition.needsCall && this.legState === 'ended') return { result: { outcome: 'hangup' } };
    try {
      if (step.when && !isTrue(await evaluate(step.when, this.#scope(), this.#evaluation()))) {
        this.note({ kind: 'skipped', step: name, visit: visit.number });
        return { result: { outcome: definition.success ?? 'done' } };
      }
      visit.input = await renderTemplate(step.input, this.#scope({ secrets: true }), this.#evaluation());
    } catch (error) {
      return { result: { outcome: 'error', fault: faultOf(error) } };
    }
    const wrong = step.input.isConstant ? undefined : step.check(visit.input);
    if (wrong) return { result: { outcome: 'error', fault: fault('invalid_arguments', `${step.verb}: ${wrong}`) } };
    if (!step.input.isConstant) this.note({ kind: 'rendered', visit: visit.number, input: visit.input });
    visit.begin();
    return this.#pump(frame);
  }

  /** Lets the step's program go on to its next wait or its end. */
  async #pump(frame: Frame, event?: StepEvent): Promise<Turn> {
    const visit = frame.visit!;
    visit.timer = undefined;
    visit.wait = undefined;
    this.#timer?.cancel();
    // The first `next` of a generator takes no value.
    const { done, value } = await visit.program!.next(event as StepEvent);
    const calling = this.#calling;
    this.#calling = undefined;
    if (done) return { result: value };
    visit.wait = value;
    if (calling) return { call: calling };
    if (value.withinMs !== undefined) this.#arm(visit, value.withinMs);
    const index = value.signals
      ? this.#queued.findIndex((command) => value.signals!.includes(signalOf(command).name))
      : -1;
    if (index < 0) return undefined;
    return this.#pump(frame, signalOf(this.#queued.splice(index, 1)[0]!));
  }

  async #leave(given: StepResult): Promise<Turn> {
    const frame = this.#frames.at(-1)!;
    const visit = frame.visit!;
    const result = await this.#assign(frame, visit, given);
    await this.#endVisit(frame, result);
    if (result.ends === 'call') {
      await this.#close({ reason: 'completed' });
      return undefined;
    }
    if (result.ends === 'flow') return this.#return(result.outcome, result.result ?? null);
    const target = this.#route(frame, visit.step, result.outcome);
    if (target !== END) return this.#enter(frame, target);
    if (result.outcome === 'error' && this.#frames.length === 1) {
      await this.#close({ reason: 'fault', ...(result.fault ? { fault: result.fault } : {}) });
      return undefined;
    }
    const passedOn = result.outcome === 'hangup' || result.outcome === 'error' ? result.outcome : 'done';
    return this.#return(passedOn, null);
  }

  /** A hang-up is routed once; a flow that then asks for the caller again has come to its end. */
  #route(frame: Frame, step: CompiledStep, outcome: string): string {
    if (outcome !== 'hangup') return frame.flow.machine.next(step.name, outcome) ?? END;
    if (this.#hangupRouted) return END;
    const target = frame.flow.machine.next(step.name, outcome);
    const chosen = target === undefined || target === END ? (frame.flow.events['hangup'] ?? END) : target;
    this.#hangupRouted = chosen !== END;
    return chosen;
  }

  /** `set`: assigns from the result of a step that succeeded. */
  async #assign(frame: Frame, visit: Visit, given: StepResult): Promise<StepResult> {
    const { step } = visit;
    if (step.sensitive) this.#mask.learn(given.result);
    frame.results[step.name] = given.result ?? null;
    if (given.vars === undefined && (!step.set || isSetback(given.outcome))) return given;
    try {
      const set: JsonObject = { ...given.vars };
      for (const [name, template] of Object.entries(step.set ?? {})) {
        set[name] = await renderTemplate(template, this.#scope({ result: given.result ?? null }), this.#evaluation());
      }
      for (const [name, value] of Object.entries(set)) {
        const wrong = frame.flow.checkVariable(name, value);
        if (wrong) return { outcome: 'error', fault: fault('variable_invalid', `variable ${name}: ${wrong}`) };
      }
      for (const [name, value] of Object.entries(set)) if (frame.flow.vars[name]?.sensitive) this.#mask.learn(value);
      Object.assign(frame.vars, set);
      this.note({ kind: 'vars', set: hideSensitive(set, frame.flow) });
      return given;
    } catch (error) {
      return { outcome: 'error', fault: faultOf(error) };
    }
  }

  async #endVisit(frame: Frame, result: StepResult): Promise<void> {
    const visit = frame.visit;
    if (!visit) return;
    frame.visit = undefined;
    this.#timer?.cancel();
    await visit.end();
    const input = visit.input;
    const api = input !== null && typeof input === 'object' && !Array.isArray(input) ? input : {};
    this.note({
      kind: 'left',
      step: visit.step.name,
      verb: visit.step.verb,
      visit: visit.number,
      outcome: result.outcome,
      ...(result.result === undefined ? {} : { result: visit.step.sensitive ? MASK : result.result }),
      ...(result.fault ? { fault: result.fault } : {}),
      ...(typeof api['play_id'] === 'string' ? { playId: api['play_id'] } : {}),
      ...(typeof api['prompt_ref'] === 'string' ? { promptRef: api['prompt_ref'] } : {}),
      ...(visit.masked ? { sensitive: true } : {}),
    });
  }

  /** Ends the innermost flow; its caller's step goes on, or the call is over. */
  async #return(outcome: string, output: Json): Promise<Turn> {
    const ended = this.#frames.at(-1)!;
    const scope = this.#scope();
    this.#frames.pop();
    const outer = this.#frames.at(-1);
    if (!outer) {
      await this.#close({
        reason: outcome === 'hangup' ? 'hangup' : 'completed',
        ...(output === null ? {} : { output }),
      });
      return undefined;
    }
    if (outcome === 'hangup' || outcome === 'error') return { result: { outcome } };
    const rendered = ended.flow.output
      ? await renderTemplate(ended.flow.output, scope, this.#evaluation()).catch(() => output)
      : output;
    return this.#pump(outer, { type: 'returned', outcome, output: rendered });
  }

  async #dropFrame(outcome: string): Promise<void> {
    await this.#endVisit(this.#frames.at(-1)!, { outcome });
    this.#frames.pop();
  }

  /** The flow is over: lets go of everything and of the caller. */
  async #close(closing: Closing, cause: number = NORMAL_CLEARING.code): Promise<void> {
    if (this.#closing) return;
    while (this.#frames.length > 0) await this.#dropFrame(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.#closing = closing;
    if (this.legState === 'ended') return this.#finish();
    if (!this.#hungUp)
      this.sendToLeg({ type: 'hangup', cause: closing.fault || closing.reason === 'lost' ? 41 : cause });
    this.#guard(LEG_END_GRACE_MS, {
      type: 'leg',
      event: { type: 'ended', cause: causeOf(LEG_LOST_CAUSE), by: 'network' },
    });
  }

  #finish(): void {
    this.note({ kind: 'ended', ...this.#closing! });
    this.#over = true;
  }

  // What visits ask of their run

  get callScope(): JsonObject {
    return {
      id: this.record.callId,
      from: this.record.from,
      to: this.record.to,
      direction: this.direction,
      locale: this.#frames.at(-1)?.flow.locale ?? this.#spec.flow.locale,
      started: new Date(this.record.startedMs).toISOString(),
    };
  }

  nextId(kind: string): string {
    return this.#ports.ids.next(kind);
  }

  random(): number {
    return this.#chance();
  }

  note(entry: NewEntry): void {
    const made = maskEntry({ seq: ++this.#seq, atMs: this.nowMs, ...entry } as JournalEntry, this.#mask);
    this.#entries.push(made);
    this.#deliveries.push(...this.#ports.deliveriesOf(made, this.record));
  }

  effect(perform: () => void): void {
    this.#effects.push(perform);
  }

  sendToLeg(command: LegCommand): void {
    if (this.legState === 'ended') return;
    if (command.type === 'hangup' || command.type === 'reject') this.#hungUp = true;
    this.note({ kind: 'command', command, visit: this.#frames.at(-1)?.visit?.number ?? 0 });
    this.effect(() => this.#ports.engine.send(this.#spec.legId, command));
  }

  startRequest(visit: Visit, requestId: string, request: HttpRequest): void {
    const signal = visit.request(requestId);
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

  takeTypedAhead(): string {
    const typed = this.#typedAhead;
    this.#typedAhead = '';
    return typed;
  }

  recordingFile(recordId: string): string {
    return this.#ports.recordingFile(this.record.callId, recordId);
  }

  prompt(written: Json, step: CompiledStep): AudioItem[] {
    const found = resolvePrompt(this.#frames.at(-1)!.flow, written, this.locale(step));
    if ('missing' in found) throw new PromptMissing(found.missing);
    return found.items;
  }

  async render(written: Json, result: Json | undefined): Promise<Json> {
    return renderTemplate(
      compileTemplate(written),
      this.#scope(result === undefined ? {} : { result }),
      this.#evaluation(),
    );
  }

  async test(expression: string, result: Json | undefined): Promise<boolean> {
    const scope = this.#scope(result === undefined ? {} : { result });
    return isTrue(await evaluate(compileExpression(expression), scope, this.#evaluation()));
  }

  callFlow(name: string, input: JsonObject): Fault | undefined {
    const flow = this.#ports.flow(name);
    if (!flow) return fault('unknown_flow', `there is no flow ${name}`);
    if (this.#frames.length >= MOST_FRAMES) return fault('too_deep', `more than ${MOST_FRAMES} flows call each other`);
    this.#calling = this.#frame(flow, input);
    return undefined;
  }

  schedule(name: string): Json | undefined {
    return this.#frames.at(-1)?.flow.schedules[name] ?? this.#spec.schedules[name];
  }

  locale(step: CompiledStep): string {
    return step.locale ?? this.#frames.at(-1)?.flow.locale ?? this.#spec.flow.locale;
  }

  // Commit, time, scope

  async #commit(): Promise<void> {
    if (this.#entries.length > 0) {
      const entries = this.#entries;
      const deliveries = this.#deliveries;
      this.#entries = [];
      this.#deliveries = [];
      await this.#ports.book.commit({
        record: { ...this.record },
        checkpoint: {
          frames: this.#frames.map(({ flow, visit, vars }) => ({
            flow: flow.name,
            flowHash: flow.hash,
            at: visit?.step.name ?? '',
            vars: hideSensitive(vars, flow),
          })),
          visit: this.#visits,
        },
        entries,
        deliveries,
      });
    }
    for (const perform of this.#effects.splice(0)) perform();
  }

  #arm(visit: Visit, withinMs: number): void {
    const timer = ++this.#timers;
    visit.timer = timer;
    this.note({ kind: 'timer', timer, visit: visit.number, afterMs: withinMs });
    const dueMs = this.nowMs + withinMs;
    this.effect(() => {
      this.#timer?.cancel();
      this.#timer = this.#after(dueMs, { type: 'deadline', timer });
    });
  }

  #guard(delayMs: number, input: RunInput): void {
    const dueMs = this.nowMs + delayMs;
    this.effect(() => this.#guards.push(this.#after(dueMs, input)));
  }

  #after(dueMs: number, input: RunInput): Timer {
    return this.#ports.clock.after(dueMs - this.#ports.clock.now(), () => this.post(input));
  }

  #setState(state: CallState, cause?: Cause): void {
    this.record.state = state;
    this.note({ kind: 'state', state, ...(cause ? { cause } : {}) });
  }

  #scope(extra: { result?: Json; secrets?: boolean } = {}): Scope {
    const frame = this.#frames.at(-1);
    return {
      input: frame?.input ?? {},
      call: this.callScope,
      vars: frame?.vars ?? {},
      steps: frame?.results ?? {},
      env: this.#spec.env,
      ...(extra.secrets ? { secrets: this.#spec.secrets } : {}),
      ...(extra.result === undefined ? {} : { result: extra.result }),
    };
  }

  #evaluation(): EvaluationContext {
    return { nowMs: this.nowMs, random: () => this.#chance() };
  }
}

/** The signal under which a waiting step takes a command. */
function signalOf(command: CallCommand): Extract<StepEvent, { type: 'signal' }> {
  switch (command.type) {
    case 'play': {
      const { playId, promptRef, verb, args } = command;
      const given = { ...args, play_id: playId, ...(promptRef === undefined ? {} : { prompt_ref: promptRef }) };
      return { type: 'signal', name: verb, data: given };
    }
    case 'event':
      return { type: 'signal', name: command.name, data: command.data };
    case 'flow':
      return { type: 'signal', name: 'flow', data: { flow: command.flow, input: command.input } };
    default:
      return { type: 'signal', name: command.type, data: null };
  }
}

/** Outcomes after which `set` has nothing to assign from. */
const SETBACKS = new Set(['error', 'exhausted', 'failed', 'timeout', 'limit', 'hangup', 'silence']);

const isSetback = (outcome: string): boolean => SETBACKS.has(outcome.split('.')[0]!);

/** What broke, as data for the flow; our own bugs go on to the crash wall. */
function faultOf(error: unknown): Fault {
  if (error !== null && typeof error === 'object' && 'fault' in error) return error.fault as Fault;
  throw error;
}
