/**
 * The way of one call through its flows: which step is being visited, what its outcome leads to, which flow called
 * which. Neighbours: `run.ts` owns inputs, commit and the leg; `visit.ts` is one step being run.
 *
 * Invariants
 *  T1 at most one visit is being run: that of the innermost frame; outer frames wait in their `subflow` step;
 *  T2 a visit is left exactly once, and every entry `entered` has its `left`;
 *  T3 a hang-up is routed once in each flow that was running then, the innermost first; a flow that asks for the caller
 *     again after that has come to its end.
 */
import { type Fault, fault, faultIn } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import { compileExpression, evaluate, isTrue } from '../flow/expression.ts';
import { resolvePrompt } from '../flow/library.ts';
import { compileTemplate, renderTemplate } from '../flow/template.ts';
import type { CompiledFlow, CompiledStep, EvaluationContext, Scope } from '../flow/types.ts';
import { END } from '../flow/types.ts';
import { ANY_FLOW, type StepDefinition, type StepEvent, type StepResult } from '../steps/step.ts';
import type { Signal } from './command.ts';
import { type Frame, frameOf, wrongInput } from './frame.ts';
import type { CallRecord, Checkpoint } from './journal.ts';
import { MASK } from './journal.ts';
import { hideCredentials, hideSensitive, type Mask } from './mask.ts';
import type { CallDoor, FlowDoor } from './visit.ts';
import { Visit } from './visit.ts';
import { weightOf } from './weight.ts';

const MOST_FRAMES = 20;
const MOST_STEPS_AT_ONCE = 10_000;
/** A hang-up waits for it. */
const LONGEST_DECISION_MS = 10_000;
/** An hour of menus is a few hundred thousand. */
const MOST_NOTED = 32_000_000;
/** Variables are written at every decision. */
const LARGEST_VARIABLE = 250_000;

/** Why and how a run comes to its end. */
export interface Closing {
  reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost';
  fault?: Fault;
  output?: Json;
}

/** What the traversal needs of its run. */
export interface TraversalHost extends CallDoor {
  readonly record: CallRecord;
  readonly mask: Mask;
  /** The flow is over; set once. */
  readonly closing: Closing | undefined;
  close(closing: Closing): Promise<void>;
  /** How much was noted in the journal so far, in characters. */
  readonly noted: number;
  /** How long the decision in the making has taken. */
  readonly decidingMs: number;
  /** Lets others have their turn, where that is due. */
  rest(): Promise<void> | undefined;
  /** Has `timeout` delivered to the visit, `withinMs` from now, unless disarmed. */
  arm(visit: Visit, withinMs: number): void;
  disarm(): void;
  /** A queued command that a step waits for. */
  takeQueued(signals: readonly string[]): Signal | undefined;
}

export interface TraversalOptions {
  steps: ReadonlyMap<string, StepDefinition>;
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  env: JsonObject;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  locale: string;
  /** Replay: what was assigned after a visit that cannot be repeated because its input was masked. */
  recordedVars?(visit: number): JsonObject | undefined;
}

/** What happens next: a step has its result, a flow is called, or nothing until the next event. */
type Turn = { result: StepResult } | { call: Frame } | undefined;

export class Traversal implements FlowDoor {
  readonly #host: TraversalHost;
  readonly #options: TraversalOptions;
  readonly #frames: Frame[] = [];
  #visits = 0;
  #calling: Frame | undefined;

  constructor(host: TraversalHost, options: TraversalOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** The visit being run. */
  get visit(): Visit | undefined {
    return this.#frames.at(-1)?.visit;
  }

  get flow(): CompiledFlow | undefined {
    return this.#frames.at(-1)?.flow;
  }

  /** Whether a flow on the way, or one that it may call, has a step that takes sensitive input. */
  get mayAskSensitive(): boolean {
    return this.#frames.length === 0 || this.#frames.some(({ flow }) => this.#asksSensitive(flow, new Set()));
  }

  #asksSensitive(flow: CompiledFlow, seen: Set<CompiledFlow>): boolean {
    if (seen.has(flow)) return false;
    seen.add(flow);
    return [...flow.steps.values()].some((step) => {
      if (step.sensitive) return true;
      const called = this.#options.steps.get(step.verb)?.calls?.(step.args) ?? [];
      return called.some((name) => {
        const inner = name === ANY_FLOW ? undefined : this.#options.flow(name);
        return name === ANY_FLOW || (inner !== undefined && this.#asksSensitive(inner, seen));
      });
    });
  }

  begin(flow: CompiledFlow, input: JsonObject): Promise<void> {
    return this.#carryOn({ call: frameOf(flow, input) });
  }

  /** Hands an event to the step being run. */
  async resume(event: StepEvent): Promise<void> {
    const frame = this.#frames.at(-1);
    if (frame?.visit?.program) await this.#carryOn(await this.#pump(frame, event));
  }

  /**
   * The caller is gone: a step that needs the call is left, others go on until one does. `told` notes the end of the
   * call, after what was heard last and before what the flow does about it.
   */
  async hangup(told: () => void): Promise<void> {
    const frame = this.#frames.at(-1);
    if (!frame?.visit?.definition.needsCall) return told();
    const result: StepResult = { outcome: 'hangup' };
    const { step } = frame.visit;
    frame.results[step.name] = null;
    await this.#endVisit(frame, result);
    told();
    await this.#carryOn(await this.#follow(frame, step, result));
  }

  handles(interrupt: string): boolean {
    return this.#frames.some(({ flow }) => Object.hasOwn(flow.events, interrupt));
  }

  /** Leaves whatever is running for the step that the innermost flow with this interrupt names. */
  async interrupt(name: string): Promise<boolean> {
    const index = this.#frames.findLastIndex(({ flow }) => Object.hasOwn(flow.events, name));
    if (index < 0) return false;
    while (this.#frames.length - 1 > index) await this.#drop(`$${name}`);
    const frame = this.#frames[index]!;
    await this.#endVisit(frame, { outcome: `$${name}` });
    await this.#carryOn(await this.#goTo(frame, frame.flow.events[name]!));
    return true;
  }

  /** Leaves everything. */
  async abandon(outcome: string): Promise<void> {
    while (this.#frames.length > 0) await this.#drop(outcome);
  }

  checkpoint(): Checkpoint {
    return {
      frames: this.#frames.map(({ flow, visit, vars }) => ({
        flow: flow.name,
        flowHash: flow.hash,
        at: visit?.step.name ?? '',
        vars: this.#host.mask.apply(hideSensitive(vars, flow.vars)),
      })),
      visit: this.#visits,
    };
  }

  /** Runs steps until one waits or the run closes. */
  async #carryOn(first: Turn): Promise<void> {
    let turn = first;
    for (let steps = 1; turn && !this.#host.closing; steps++) {
      const rest = this.#host.rest();
      if (rest) await rest;
      const excess = this.#excess(steps);
      if (excess) return this.#host.close({ reason: 'limit', fault: excess });
      if ('call' in turn) {
        turn.call.hangupRouted = this.#host.legState === 'ended';
        turn.call.visitsBefore = this.#visits;
        this.#frames.push(turn.call);
        turn = await this.#goTo(turn.call, turn.call.flow.start);
      } else {
        turn = await this.#leave(turn.result);
      }
    }
  }

  /** What a call may take of everybody's time, memory and disk, whatever its flows say of their own limits. */
  #excess(stepsAtOnce: number): Fault | undefined {
    if (stepsAtOnce > MOST_STEPS_AT_ONCE) {
      return fault('too_many_steps', `more than ${MOST_STEPS_AT_ONCE} steps without waiting for anything`);
    }
    if (this.#host.decidingMs > LONGEST_DECISION_MS) {
      return fault(
        'too_slow',
        `more than ${LONGEST_DECISION_MS / 1000} seconds of computing without waiting for anything`,
      );
    }
    if (this.#host.noted <= MOST_NOTED) return undefined;
    return fault('too_much', `the call has more than ${MOST_NOTED} characters in its journal`);
  }

  #goTo(frame: Frame, target: string): Promise<Turn> {
    return target === END ? this.#return('done', null) : this.#enter(frame, target);
  }

  async #enter(frame: Frame, name: string): Promise<Turn> {
    const host = this.#host;
    const step = frame.flow.steps.get(name)!;
    const definition = this.#options.steps.get(step.verb)!;
    const count = (frame.counts.get(name) ?? 0) + 1;
    frame.counts.set(name, count);
    const visit = new Visit({ call: host, flow: this }, ++this.#visits, count, step, definition);
    frame.visit = visit;
    const depth = this.#frames.length - 1;
    host.note({ kind: 'entered', step: name, verb: step.verb, visit: visit.number, depth, flow: frame.flow.name });
    const tired = this.#frames.find(({ flow, visitsBefore }) => this.#visits - visitsBefore > flow.limits.maxSteps);
    if (tired) {
      const message = `the flow ${tired.flow.name} took more than ${tired.flow.limits.maxSteps} steps`;
      await host.close({ reason: 'limit', fault: fault('too_many_steps', message) });
      return undefined;
    }
    if (step.maxVisits !== undefined && count > step.maxVisits) return { result: { outcome: 'limit' } };
    if (definition.needsCall && host.legState === 'ended') return { result: { outcome: 'hangup' } };
    try {
      if (step.when && !isTrue(await evaluate(step.when, this.#scope(), this.#evaluation()))) {
        host.note({ kind: 'skipped', step: name, visit: visit.number });
        return { result: { outcome: definition.success ?? 'done' } };
      }
      const scope = { ...this.#scope(), secrets: this.#options.secrets };
      visit.input = await renderTemplate(step.input, scope, this.#evaluation());
    } catch (error) {
      return { result: { outcome: 'error', fault: faultOf(error) } };
    }
    if (!step.input.isConstant) {
      const shown = step.sensitive ? MASK : hideCredentials(visit.input, step.args);
      host.note({ kind: 'rendered', visit: visit.number, input: shown });
      const wrong = step.check(visit.input);
      if (wrong) return { result: { outcome: 'error', fault: fault('invalid_arguments', `${step.verb}: ${wrong}`) } };
    }
    visit.begin();
    return this.#pump(frame);
  }

  /** Lets the step's program go on to its next wait or its end. */
  async #pump(frame: Frame, event?: StepEvent): Promise<Turn> {
    const visit = frame.visit!;
    this.#host.disarm();
    visit.timer = undefined;
    visit.wait = undefined;
    try {
      // The first `next` of a generator takes no value.
      const { done, value } = await visit.program!.next(event as StepEvent);
      const call = this.#calling;
      this.#calling = undefined;
      if (done) return { result: value };
      visit.wait = value;
      if (call) return { call };
      if (value.withinMs !== undefined) this.#host.arm(visit, value.withinMs);
      const signal = value.signals && this.#host.takeQueued(value.signals);
      return signal && (await this.#pump(frame, signal));
    } catch (error) {
      return { result: { outcome: 'error', fault: faultOf(error) } };
    }
  }

  async #leave(given: StepResult): Promise<Turn> {
    const frame = this.#frames.at(-1)!;
    const { step } = frame.visit!;
    const astray = this.#astray(frame, step, given);
    const result = await this.#assign(frame, frame.visit!, astray ? { outcome: 'error', fault: astray } : given);
    await this.#endVisit(frame, result);
    return this.#follow(frame, step, result);
  }

  /** Goes where the outcome of a step that was left leads. */
  async #follow(frame: Frame, step: CompiledStep, result: StepResult): Promise<Turn> {
    const host = this.#host;
    if (result.ends === 'call') {
      await host.close({ reason: 'completed' });
      return undefined;
    }
    if (result.ends === 'flow') return this.#return(result.outcome, result.result ?? null);
    const target = this.#route(frame, step, result);
    if (target !== END) return this.#enter(frame, target);
    // A flow inside that has had its say about the hang-up leaves it to the flow that called.
    const gone = result.outcome === 'hangup' || (frame.hangupRouted && this.#frames.length > 1);
    if (result.outcome !== 'error') return this.#return(gone ? 'hangup' : 'done', null);
    if (this.#frames.length > 1) return this.#return('error', null, result.fault);
    await host.close({ reason: 'fault', ...(result.fault ? { fault: result.fault } : {}) });
    return undefined;
  }

  /** Why the flow cannot follow this result, which only an application or another flow can give. */
  #astray(frame: Frame, step: CompiledStep, { outcome, goto, ends }: StepResult): Fault | undefined {
    if (goto !== undefined) {
      const known = goto === END || frame.flow.steps.has(goto);
      return known ? undefined : fault('unknown_step', `there is no step ${goto.slice(0, 64)} to go to`);
    }
    if (ends || outcome === 'error' || frame.flow.machine.next(step.name, outcome) !== undefined) return undefined;
    return fault('unrouted_outcome', `nothing routes the outcome ${outcome} of ${step.name}`);
  }

  #route(frame: Frame, step: CompiledStep, { outcome, goto }: StepResult): string {
    if (goto !== undefined) return goto;
    const target = frame.flow.machine.next(step.name, outcome) ?? END;
    if (outcome !== 'hangup') return target;
    if (frame.hangupRouted) return END;
    const chosen = target === END ? (frame.flow.events['hangup'] ?? END) : target;
    frame.hangupRouted = chosen !== END;
    return chosen;
  }

  /** `set`: assigns from the result of a step that succeeded. A value that its variable refuses is an error. */
  async #assign(frame: Frame, visit: Visit, given: StepResult): Promise<StepResult> {
    const { step, definition, number } = visit;
    if (step.sensitive) this.#host.mask.learn(given.result, { shortNumbers: false });
    // A step that was skipped, or not done at all, found nothing new.
    if (!visit.begun) return given;
    frame.results[step.name] = given.result ?? null;
    const recorded = this.#options.recordedVars?.(number);
    if (recorded) {
      Object.assign(frame.vars, recorded);
      this.#host.note({ kind: 'vars', set: hideSensitive(recorded, frame.flow.vars) });
      return given;
    }
    const templates = step.set && !isSetback(given.outcome, definition) ? Object.entries(step.set) : [];
    if (templates.length === 0 && given.vars === undefined) return given;
    const set: JsonObject = { ...given.vars };
    try {
      for (const [name, template] of templates) {
        set[name] = await renderTemplate(template, this.#scope(given.result ?? null), this.#evaluation());
      }
    } catch (error) {
      return { outcome: 'error', fault: faultOf(error) };
    }
    for (const [name, value] of Object.entries(set)) {
      const wrong = weightOf(value) > LARGEST_VARIABLE ? 'is too large' : frame.flow.checkVariable(name, value);
      if (wrong) return { outcome: 'error', fault: fault('invalid_variable', `variable ${name}: ${wrong}`) };
    }
    this.#host.mask.learnVariables(set, frame.flow.vars);
    Object.assign(frame.vars, set);
    this.#host.note({ kind: 'vars', set: hideSensitive(set, frame.flow.vars) });
    return given;
  }

  async #endVisit(frame: Frame, result: StepResult): Promise<void> {
    const visit = frame.visit;
    if (!visit) return;
    this.#host.disarm();
    await visit.end();
    frame.visit = undefined;
    const { step } = visit;
    const api = isObject(visit.input) ? visit.input : {};
    this.#host.note({
      kind: 'left',
      step: step.name,
      verb: step.verb,
      visit: visit.number,
      outcome: result.outcome,
      ...(result.result === undefined ? {} : { result: step.sensitive ? MASK : result.result }),
      ...(result.fault ? { fault: result.fault } : {}),
      ...(typeof api['play_id'] === 'string' ? { playId: api['play_id'] } : {}),
      ...(typeof api['prompt_ref'] === 'string' ? { promptRef: api['prompt_ref'] } : {}),
      ...(step.sensitive ? { sensitive: true } : {}),
    });
  }

  /** Ends the innermost flow; its caller's step goes on, or the call is over. */
  async #return(outcome: string, given: Json, broken?: Fault): Promise<Turn> {
    const ended = this.#frames.at(-1)!;
    let output = given;
    try {
      if (ended.flow.output && output === null) {
        output = await renderTemplate(ended.flow.output, this.#scope(), this.#evaluation());
      }
    } catch (error) {
      this.#host.note({ kind: 'diagnostic', code: 'output', message: faultOf(error).message });
    }
    this.#frames.pop();
    const outer = this.#frames.at(-1);
    if (outer) {
      if (outcome === 'hangup' || outcome === 'error') {
        return { result: { outcome, ...(broken ? { fault: broken } : {}) } };
      }
      return this.#pump(outer, { type: 'returned', outcome, output });
    }
    const reason = outcome === 'hangup' ? 'hangup' : 'completed';
    await this.#host.close({ reason, ...(output === null ? {} : { output }) });
    return undefined;
  }

  async #drop(outcome: string): Promise<void> {
    await this.#endVisit(this.#frames.at(-1)!, { outcome });
    this.#frames.pop();
  }

  // What visits ask of their flow

  get callScope(): JsonObject {
    const { callId, from, to, direction, startedMs } = this.#host.record;
    const locale = this.flow?.locale ?? this.#options.locale;
    return { id: callId, from, to, direction, locale, started: new Date(startedMs).toISOString() };
  }

  locale(step: CompiledStep): string {
    return step.locale ?? this.flow?.locale ?? this.#options.locale;
  }

  prompt(written: Json, step: CompiledStep): AudioItem[] {
    const found = resolvePrompt(this.flow!, written, this.locale(step));
    if ('missing' in found) throw new PromptMissing(found.missing, this.locale(step));
    return found.items;
  }

  render(written: Json, result: Json | undefined): Promise<Json> {
    return renderTemplate(compileTemplate(written), this.#scope(result), this.#evaluation());
  }

  async test(source: string, result: Json | undefined): Promise<boolean> {
    const expression = compileExpression(source);
    if ('error' in expression) throw new Error(`an unchecked expression reached the call: ${expression.error.message}`);
    return isTrue(await evaluate(expression, this.#scope(result), this.#evaluation()));
  }

  callFlow(named: string | JsonObject, input: JsonObject): Fault | undefined {
    const flow = this.#options.flow(named);
    if (!flow) return fault('unknown_flow', `there is no flow ${typeof named === 'string' ? named : 'as given'}`);
    if (this.#frames.length >= MOST_FRAMES) return fault('too_deep', `more than ${MOST_FRAMES} flows call each other`);
    const wrong = wrongInput(flow, input);
    if (wrong) return wrong;
    this.#host.mask.learnVariables(input, flow.input);
    this.#calling = frameOf(flow, input);
    return undefined;
  }

  schedule(name: string): Json | undefined {
    return this.flow?.schedules[name] ?? this.#options.schedules[name];
  }

  #scope(result?: Json): Scope {
    const frame = this.#frames.at(-1);
    return {
      input: frame?.input ?? {},
      call: this.callScope,
      vars: frame?.vars ?? {},
      steps: frame?.results ?? {},
      env: this.#options.env,
      ...(result === undefined ? {} : { result }),
    };
  }

  #evaluation(): EvaluationContext {
    return { nowMs: this.#host.nowMs, random: () => this.#host.random(), rest: () => this.#host.rest() };
  }
}

class PromptMissing extends Error {
  readonly fault: Fault;
  constructor(key: string, locale: string) {
    super(`prompt ${key} has no audio or text for ${locale}`);
    this.fault = fault('prompt_missing', this.message);
  }
}

/** Outcomes after which `set` has nothing to assign from: no author can give these names to an outcome of his own. */
const SETBACKS = ['error', 'exhausted', 'timeout', 'limit', 'hangup'];

const isSetback = (outcome: string, definition: StepDefinition): boolean => {
  const kind = outcome.split('.')[0]!;
  return SETBACKS.includes(kind) || (definition.setbacks?.includes(kind) ?? false);
};

/** What broke, as data for the flow; our own bugs go on to the crash wall. */
function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  throw error;
}
