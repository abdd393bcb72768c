/**
 * One way through flows: which step is being visited, what its outcome leads to, which flow called which. The call's
 * main way is one, and each flow that a step runs beside others is another (`ways.ts`).
 * Neighbours: `run.ts` owns inputs and commit; `visit.ts` is one step being run; `outlook.ts` what expressions see.
 *
 * Invariants
 *  T1 at most one visit of a way is being run: that of its innermost frame; outer frames wait in their `subflow` step;
 *  T2 a visit is left exactly once, and every entry `entered` has its `left`;
 *  T3 a hang-up is routed once in each flow that was running then, the innermost first; a flow that asks for the caller
 *     again after that has come to its end.
 */
import { type Fault, fault } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import { END } from '../flow/compiled-flow.ts';
import { evaluate, isTrue } from '../flow/expression.ts';
import { renderTemplate } from '../flow/template.ts';
import type { StepDefinition, StepEvent, StepResult } from '../steps/step.ts';
import { assignVariables, faultOf } from './assign-variables.ts';
import type { Signal } from './command.ts';
import { createFrame, type FlowFrame, inputFault } from './flow-frame.ts';
import { type CallSight, FlowScope, type FlowSight } from './flow-scope.ts';
import type { Checkpoint } from './journal.ts';
import { MASK } from './journal.ts';
import { type CallLimits, exceededLimit, MAX_FRAMES } from './limits.ts';
import { type Mask, maskCredentials, maskSensitive } from './mask.ts';
import { preemptedResult } from './preemption.ts';
import { nextTarget, unroutable } from './routing.ts';
import { collectsSensitive } from './sensitive.ts';
import type { CallDoor, FlowDoor } from './step-run.ts';
import { StepRun } from './step-run.ts';

/** Why and how a run comes to its end. */
export interface Closing {
  reason: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost';
  fault?: Fault;
  output?: Json;
}

/** What the ways need of their run. */
export interface TraversalHost extends CallDoor, CallSight, CallLimits {
  readonly mask: Mask;
  /** The flow is over; set once. */
  readonly closing: Closing | undefined;
  close(closing: Closing): Promise<void>;
  /** A queued command that a step waits for. */
  takeQueued(signals: readonly string[]): Signal | undefined;
  /** A visit was left: what it was asked to do and did not is told. */
  settle(): void;
}

/** What a way needs of the others. */
export interface Neighbours {
  /** Flows being carried out on all ways. */
  readonly frames: number;
  nextNumber(): number;
  /** Begins a flow beside this way, once the visit waits. */
  branchOff(execution: FlowExecution, stepRun: StepRun, name: string, frame: FlowFrame): void;
  /** The flow of a branch has returned. */
  returned(execution: FlowExecution, outcome: string, output: Json): void;
}

export interface TraversalOptions extends FlowSight {
  steps: ReadonlyMap<string, StepDefinition>;
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  /** Replay: what was assigned after a visit that cannot be repeated because its input was masked. */
  recordedVars?(visit: number): JsonObject | undefined;
}

/** Where a flow branched off that is carried out beside others. */
export interface Branch {
  name: string;
  /** The visit that started it, and whose end is its end. */
  owner: StepRun;
  parent: FlowExecution;
}

/** What happens next: a step has its result, a flow is called, or nothing until the next event. */
type Turn = { result: StepResult } | { call: FlowFrame } | undefined;

export class FlowExecution implements FlowDoor {
  /** Absent: the call's main way. */
  readonly branch: Branch | undefined;
  readonly #host: TraversalHost;
  readonly #neighbours: Neighbours;
  readonly #options: TraversalOptions;
  /** What expressions and prompts see here. */
  readonly scope: FlowScope;
  readonly #frames: FlowFrame[] = [];
  #calling: FlowFrame | undefined;

  constructor(host: TraversalHost, neighbours: Neighbours, options: TraversalOptions, branch?: Branch) {
    this.#host = host;
    this.#neighbours = neighbours;
    this.#options = options;
    this.branch = branch;
    this.scope = new FlowScope(host, options, () => this.#frames.at(-1));
  }

  /** The visit being run. */
  get stepRun(): StepRun | undefined {
    return this.#frames.at(-1)?.stepRun;
  }

  get flow(): CompiledFlow | undefined {
    return this.#frames.at(-1)?.flow;
  }

  get frames(): readonly FlowFrame[] {
    return this.#frames;
  }

  /** Whether a flow on the way, or one that it may call, has a step that takes sensitive input. */
  get mayCollectSensitive(): boolean {
    return this.#frames.length === 0 || this.#frames.some(({ flow }) => collectsSensitive(flow, this.#options));
  }

  begin(frame: FlowFrame): Promise<void> {
    return this.#carryOn({ call: frame });
  }

  /** Hands an event to the step being run. */
  async resume(event: StepEvent): Promise<void> {
    const frame = this.#frames.at(-1);
    if (frame?.stepRun?.program) await this.#carryOn(await this.#pump(frame, event));
  }

  /** The step being run has this outcome, whatever its program says. */
  async force(result: StepResult): Promise<void> {
    if (this.stepRun) this.stepRun.isForced = true;
    await this.#carryOn({ result });
  }

  /** What the step being run comes to when it gives way to an order; undefined where it does not. */
  preemptedResult(signal: string): StepResult | undefined {
    const frame = this.#frames.at(-1);
    if (!frame?.stepRun?.program) return undefined;
    return preemptedResult(frame.flow, frame.stepRun.step, signal, this.#options);
  }

  /** Whether the flow has a way on from the step being run for this outcome. */
  routes(outcome: string): boolean {
    const frame = this.#frames.at(-1);
    return (
      frame?.stepRun?.program !== undefined && frame.flow.machine.next(frame.stepRun.step.name, outcome) !== undefined
    );
  }

  /**
   * The caller is gone: a step that needs the call is left, others go on until one does. What the flow does about it is
   * up to the function that is returned.
   */
  async onCallerGone(): Promise<(() => Promise<void>) | undefined> {
    const frame = this.#frames.at(-1);
    if (!frame?.stepRun?.definition.needsCall) return undefined;
    const result: StepResult = { outcome: 'hangup' };
    const { step } = frame.stepRun;
    frame.results[step.name] = null;
    await this.#endVisit(frame, result);
    return async () => {
      // What was left before may have taken this way along.
      if (this.#frames.at(-1) === frame) await this.#carryOn(await this.#follow(frame, step, result));
    };
  }

  handles(interrupt: string): boolean {
    return this.#frames.some(({ flow }) => Object.hasOwn(flow.events, interrupt));
  }

  /** Leaves whatever is running for the step that the innermost flow with this interrupt names. */
  async interrupt(name: string): Promise<void> {
    const index = this.#frames.findLastIndex(({ flow }) => Object.hasOwn(flow.events, name));
    if (index < 0) return;
    while (this.#frames.length - 1 > index) await this.#drop(`$${name}`);
    const frame = this.#frames[index]!;
    await this.#endVisit(frame, { outcome: `$${name}` });
    await this.#carryOn(await this.#goTo(frame, frame.flow.events[name]!));
  }

  /** Leaves everything. */
  async endAll(outcome: string): Promise<void> {
    while (this.#frames.length > 0) await this.#drop(outcome);
  }

  checkpoint(): Checkpoint['frames'] {
    return this.#frames.map(({ flow, stepRun, vars }) => ({
      flow: flow.name,
      flowHash: flow.hash,
      at: stepRun?.step.name ?? '',
      vars: this.#host.mask.apply(maskSensitive(vars, flow.vars)),
    }));
  }

  /** Runs steps until one waits or the run closes. */
  async #carryOn(first: Turn): Promise<void> {
    const host = this.#host;
    for (let turn = first; turn && !host.closing; ) {
      host.stepsAtOnce++;
      const rest = host.rest();
      if (rest) await rest;
      const excess = exceededLimit(host);
      if (excess) return host.close({ reason: 'limit', fault: excess });
      if ('call' in turn) {
        turn.call.isHangupRouted = host.legs.main.state === 'ended';
        this.#frames.push(turn.call);
        turn = await this.#goTo(turn.call, turn.call.flow.start);
      } else {
        turn = await this.#leave(turn.result);
      }
    }
  }

  #goTo(frame: FlowFrame, target: string): Promise<Turn> {
    return target === END ? this.#return('done', null) : this.#enter(frame, target);
  }

  /** The flows that are being carried out here, and those inside of which this way branched off. */
  #around(): readonly FlowFrame[] {
    return this.branch ? [...this.#frames, ...this.branch.parent.#around()] : this.#frames;
  }

  async #enter(frame: FlowFrame, name: string): Promise<Turn> {
    const host = this.#host;
    const step = frame.flow.steps.get(name)!;
    const definition = this.#options.steps.get(step.verb)!;
    const count = (frame.counts.get(name) ?? 0) + 1;
    frame.counts.set(name, count);
    const around = this.#around();
    const depth = around.length - 1;
    for (const each of around) each.stepCount++;
    const stepRun = new StepRun({ call: host, flow: this }, this.#neighbours.nextNumber(), count, step, definition);
    frame.stepRun = stepRun;
    host.append({
      kind: 'entered',
      step: name,
      verb: step.verb,
      visit: stepRun.number,
      depth,
      flow: frame.flow.name,
      ...(this.branch ? { branch: `${this.branch.owner.number}.${this.branch.name}` } : {}),
    });
    const tired = around.find(({ flow, stepCount: stepRuns }) => stepRuns > flow.limits.maxSteps);
    if (tired) {
      const message = `the flow ${tired.flow.name} took more than ${tired.flow.limits.maxSteps} steps`;
      await host.close({ reason: 'limit', fault: fault('too_many_steps', message) });
      return undefined;
    }
    if (step.maxVisits !== undefined && count > step.maxVisits) return { result: { outcome: 'limit' } };
    if (definition.needsCall && host.legs.main.state === 'ended') return { result: { outcome: 'hangup' } };
    const scope = this.scope;
    try {
      if (step.when && !isTrue(await evaluate(step.when, scope.variables(), scope.evaluation))) {
        host.append({ kind: 'skipped', step: name, visit: stepRun.number });
        return { result: { outcome: definition.success ?? 'done' } };
      }
      const { isConstant, constant = null } = step.input;
      stepRun.input = isConstant
        ? constant
        : await renderTemplate(step.input, scope.variables(undefined, { withSecrets: true }), scope.evaluation);
    } catch (error) {
      return { result: { outcome: 'error', fault: faultOf(error) } };
    }
    if (!step.input.isConstant) {
      const shown = step.sensitive ? MASK : maskCredentials(stepRun.input, step.args);
      host.append({ kind: 'rendered', visit: stepRun.number, input: shown });
      const wrong = step.check(stepRun.input);
      if (wrong) return { result: { outcome: 'error', fault: fault('invalid_arguments', `${step.verb}: ${wrong}`) } };
    }
    stepRun.start();
    return this.#pump(frame);
  }

  /** Lets the step's program go on to its next wait or its end. */
  async #pump(frame: FlowFrame, event?: StepEvent): Promise<Turn> {
    const stepRun = frame.stepRun!;
    this.#host.deadlines.disarm(stepRun);
    stepRun.wait = undefined;
    try {
      // The first `next` of a generator takes no value.
      const { done, value } = await stepRun.program!.next(event as StepEvent);
      const call = this.#calling;
      this.#calling = undefined;
      if (done) {
        stepRun.program = undefined;
        return { result: value };
      }
      stepRun.wait = value;
      if (call) return { call };
      if (value.withinMs !== undefined) this.#host.deadlines.arm(stepRun, value.withinMs);
      const signal = value.signals && this.#host.takeQueued(value.signals);
      return signal && (await this.#pump(frame, signal));
    } catch (error) {
      return { result: { outcome: 'error', fault: faultOf(error) } };
    }
  }

  async #leave(given: StepResult): Promise<Turn> {
    const frame = this.#frames.at(-1)!;
    const stepRun = frame.stepRun!;
    const { step } = stepRun;
    const astray = unroutable(frame.flow, step, given);
    const { recordedVars } = this.#options;
    // Nothing routes it; what it came with is of use for all that.
    const came = given.result === undefined ? {} : { result: given.result };
    const taken: StepResult = astray ? { outcome: 'error', fault: astray, ...came } : given;
    const assigned = assignVariables(frame, stepRun, taken, this.scope, {
      mask: this.#host.mask,
      note: (entry) => this.#host.append(entry),
      ...(recordedVars ? { recordedVars } : {}),
    });
    const result = assigned instanceof Promise ? await assigned : assigned;
    await this.#endVisit(frame, result);
    return this.#follow(frame, step, result);
  }

  /** Goes where the outcome of a step that was left leads. */
  async #follow(frame: FlowFrame, step: CompiledStep, result: StepResult): Promise<Turn> {
    const host = this.#host;
    if (result.ends === 'call') {
      await host.close({ reason: 'completed', ...told(await this.#lastWords()) });
      return undefined;
    }
    if (result.ends === 'flow') return this.#return(result.outcome, result.result ?? null);
    const target = nextTarget(frame, step, result);
    if (target !== END) return this.#enter(frame, target);
    const isOutermost = this.#frames.length === 1 && !this.branch;
    // A flow inside that has had its say about the hang-up leaves it to the flow that called.
    const gone = result.outcome === 'hangup' || (frame.isHangupRouted && !isOutermost);
    if (result.outcome !== 'error') return this.#return(gone ? 'hangup' : 'done', null);
    if (!isOutermost) return this.#return('error', null, result.fault);
    await host.close({ reason: 'fault', ...(result.fault ? { fault: result.fault } : {}) });
    return undefined;
  }

  async #endVisit(frame: FlowFrame, result: StepResult): Promise<void> {
    const stepRun = frame.stepRun;
    if (!stepRun) return;
    await stepRun.end(result.outcome);
    frame.stepRun = undefined;
    const { step } = stepRun;
    const api = isObject(stepRun.input) ? stepRun.input : {};
    this.#host.append({
      kind: 'left',
      step: step.name,
      verb: step.verb,
      visit: stepRun.number,
      outcome: result.outcome,
      ...(result.result === undefined ? {} : { result: step.sensitive ? MASK : result.result }),
      ...(result.fault ? { fault: result.fault } : {}),
      ...(typeof api['play_id'] === 'string' ? { playId: api['play_id'] } : {}),
      ...(typeof api['prompt_ref'] === 'string' ? { promptRef: api['prompt_ref'] } : {}),
      ...(step.sensitive ? { sensitive: true } : {}),
      ...(stepRun.listened ? { speech: true } : {}),
    });
    this.#host.settle();
  }

  /** Ends the innermost flow; its caller's step goes on, or the call is over. */
  async #return(outcome: string, given: Json, broken?: Fault): Promise<Turn> {
    const output = given ?? (await this.#output());
    this.#frames.pop();
    const outer = this.#frames.at(-1);
    if (outer) {
      // What the flow had come to when the caller went is known all the same.
      if (outcome === 'hangup') return { result: { outcome, ...(output === null ? {} : { result: output }) } };
      if (outcome === 'error') return { result: { outcome, ...(broken ? { fault: broken } : {}) } };
      return this.#pump(outer, { type: 'returned', outcome, output });
    }
    if (this.branch) {
      this.#neighbours.returned(this, outcome, output);
      return undefined;
    }
    const reason = outcome === 'hangup' ? 'hangup' : 'completed';
    await this.#host.close({ reason, ...told(output) });
    return undefined;
  }

  /** What the innermost flow gives back as things are. */
  async #output(): Promise<Json> {
    const { output } = this.#frames.at(-1)!.flow;
    if (!output) return null;
    try {
      return await renderTemplate(output, this.scope.variables(), this.scope.evaluation);
    } catch (error) {
      this.#host.append({ kind: 'diagnostic', code: 'output', message: faultOf(error).message });
      return null;
    }
  }

  /** All flows end with the call: an outer one says what it gives back; where it has nothing to say, the one inside did. */
  async #lastWords(): Promise<Json> {
    if (this.branch) return null;
    let output = await this.#output();
    while (this.#frames.length > 1) {
      await this.#drop('hangup');
      output = (await this.#output()) ?? output;
    }
    return output;
  }

  async #drop(outcome: string): Promise<void> {
    await this.#endVisit(this.#frames.at(-1)!, { outcome });
    this.#frames.pop();
  }

  // What visits ask of their flow

  callFlow(named: string | JsonObject, input: JsonObject): Fault | undefined {
    const frame = this.#made(named, input);
    if ('fault' in frame) return frame.fault;
    this.#calling = frame;
    return undefined;
  }

  branchOff(stepRun: StepRun, name: string, named: string, input: JsonObject): Fault | undefined {
    const frame = this.#made(named, input);
    if ('fault' in frame) return frame.fault;
    this.#neighbours.branchOff(this, stepRun, name, frame);
    return undefined;
  }

  #made(named: string | JsonObject, input: JsonObject): FlowFrame | { fault: Fault } {
    const flow = this.#options.flow(named);
    if (!flow) {
      return { fault: fault('unknown_flow', `there is no flow ${typeof named === 'string' ? named : 'as given'}`) };
    }
    if (this.#neighbours.frames >= MAX_FRAMES) {
      return { fault: fault('too_deep', `more than ${MAX_FRAMES} flows call each other`) };
    }
    const wrong = inputFault(flow, input);
    if (wrong) return { fault: wrong };
    this.#host.mask.learnVariables(input, flow.input);
    return createFrame(flow, input);
  }
}

const told = (output: Json): { output?: Json } => (output === null ? {} : { output });
