/**
 * Runs one flow, and the flows that it calls, step by step: enter a step, resume it with events, leave it with its
 * outcome, and route that to the next step. Flows that a step starts concurrently are branches, which are separate
 * executions.
 *
 * Neighbours: `flow-executions.ts` passes events to all executions of a call; `flow-branches.ts` starts and ends
 * branches; `step-run.ts` is one run of one step; `flow-frame.ts` is one running flow with the scope of its expressions.
 *
 * Invariants
 *  T1 At most one step run of an execution is active: that of its innermost frame; outer frames wait in their `subflow`
 *     step.
 *  T2 Each step run is left exactly once: every entry `entered` has its `left`.
 *  - A flow that a step continues with begins when no other is open, so that a cycle of flows does not grow the stack.
 *  - A hang-up is routed once in each flow that was running at that time, innermost first; a flow that uses the main
 *    leg again after that ends.
 */
import { type Fault, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import { type CompiledStep, END } from '../../language/flow/compiled-flow.ts';
import { renderTemplate } from '../../language/flow/template.ts';
import type { StepEvent, StepResult } from '../../language/steps/step.ts';
import type { CallContext, Closing } from './call-context.ts';
import { type Branch, type DueWork, FlowBranches } from './flow-branches.ts';
import { FlowFrame } from './flow-frame.ts';
import type { Checkpoint } from './journal.ts';
import { exceededLimit } from './limits.ts';
import { collectsSensitive, maskSensitive } from './mask.ts';
import { endReason, LEFT_FOR_ORDER, preemptedResult } from './preemption.ts';
import { takeQueued } from './signals.ts';
import { StepRunContext } from './step-context.ts';
import { assignVariables, faultOf, prepareInput } from './step-data.ts';
import { enteredEntry, leftEntry } from './step-entries.ts';
import { type FlowRequest, StepRun } from './step-run.ts';

/** Outcomes that only the call itself can produce. */
const RESERVED_OUTCOMES = ['hangup', 'limit'];
export const isReserved = (outcome: string): boolean => outcome.startsWith('$') || RESERVED_OUTCOMES.includes(outcome);

/** Next action; undefined: wait for the next event. */
type Turn =
  | { callFlow: FlowRequest }
  | { enter: string }
  | { resume: StepEvent | undefined }
  | { leave: StepResult }
  | { close: Closing }
  | undefined;

export class FlowExecution {
  readonly #call: CallContext;
  readonly #due: DueWork[];
  /** Absent for the main execution. */
  readonly #branch: Branch | undefined;
  /** Undefined while there are none, as in most executions. */
  #branches: FlowBranches<FlowExecution> | undefined;
  #frames: readonly FlowFrame[] = [];

  constructor(call: CallContext, due: DueWork[], branch?: Branch) {
    this.#call = call;
    this.#due = due;
    this.#branch = branch;
  }

  /** The innermost flow. */
  get frame(): FlowFrame | undefined {
    return this.#frames.at(-1);
  }

  get stepRun(): StepRun | undefined {
    return this.frame?.stepRun;
  }

  get hasBranches(): boolean {
    return this.#branches !== undefined && this.#branches.size > 0;
  }

  /**
   * This execution and its branches: the branches in the order of their start, each preceded by its own branches, then
   * this execution.
   */
  get all(): FlowExecution[] {
    return this.#branches ? [...this.#branches.executions.flatMap((branch) => branch.all), this] : [this];
  }

  /** True if a flow here, or one that it may call, has a step that takes sensitive input. */
  get mayCollectSensitive(): boolean {
    return this.#frames.length === 0 || this.#frames.some(({ flow }) => collectsSensitive(flow, this.#call.ports));
  }

  /** Flows whose limits count the steps of this execution. */
  get #countedFrames(): readonly FlowFrame[] {
    return this.#branch ? [...this.#frames, ...this.#branch.outerFrames] : this.#frames;
  }

  start(flow: FlowRequest): Promise<Closing | undefined> {
    return this.#advance({ callFlow: flow });
  }

  /** Passes an event to the active step run. */
  async resume(event: StepEvent): Promise<Closing | undefined> {
    return this.stepRun?.program ? this.#advance({ resume: event }) : undefined;
  }

  /** Ends the active step run with this result, regardless of its program. */
  async force(result: StepResult): Promise<Closing | undefined> {
    if (this.stepRun) this.stepRun.isForced = true;
    return this.#advance({ leave: result });
  }

  /** Result of the active step if it is preempted by a command. Undefined if it is not. */
  preemptedResult(signal: string): StepResult | undefined {
    const { frame } = this;
    if (!frame?.stepRun?.program) return undefined;
    return preemptedResult(frame.flow, frame.stepRun.step, signal, this.#call.ports);
  }

  /** True if the flow routes this outcome of the active step. */
  routes(outcome: string): boolean {
    const { frame } = this;
    return frame?.stepRun?.program !== undefined && frame.routes(frame.stepRun.step, outcome);
  }

  /**
   * The main leg has ended: leaves a step that needs it; others continue until one does. The returned function
   * continues the flow.
   */
  async onCallerGone(): Promise<DueWork | undefined> {
    const { frame } = this;
    if (!frame?.stepRun?.definition.needsCall) return undefined;
    const result: StepResult = { outcome: 'hangup' };
    const { step } = frame.stepRun;
    frame.results[step.name] = null;
    await this.#endStepRun(frame, result);
    // Another execution that continued first may have ended this one.
    return async () => (this.frame === frame ? this.#advance(await this.#route(frame, step, result)) : undefined);
  }

  handles(interrupt: string): boolean {
    return this.#frames.some(({ flow }) => Object.hasOwn(flow.events, interrupt));
  }

  /** Leaves the active step for the target of the interrupt in the innermost flow that defines it. */
  async interrupt(name: string): Promise<Closing | undefined> {
    const index = this.#frames.findLastIndex(({ flow }) => Object.hasOwn(flow.events, name));
    if (index < 0) return undefined;
    while (this.#frames.length - 1 > index) await this.#dropFrame(`$${name}`);
    const frame = this.#frames[index]!;
    const result = frame.stepRun?.resultSoFar?.();
    if (result !== undefined) frame.results[frame.stepRun!.step.name] = result;
    await this.#endStepRun(frame, { outcome: `$${name}`, result });
    return this.#advance({ enter: frame.flow.events[name]! });
  }

  /** Leaves all flows for another one, because an order arrived that they do not accept. */
  async continueWith(flow: FlowRequest, signal: string): Promise<Closing | undefined> {
    const why = fault('stopped', endReason(signal));
    await this.#endStepRun(this.frame!, { outcome: LEFT_FOR_ORDER, fault: why });
    await this.endAll(LEFT_FOR_ORDER);
    return this.#advance({ callFlow: flow });
  }

  /** Starts a branch of this step run. */
  startBranch(stepRun: StepRun, name: string, flow: FlowRequest): void {
    this.#openBranches().start(stepRun, name, flow);
  }

  /** Ends that branch of the step run, if it is open. */
  async endBranch(stepRun: StepRun, branch: string): Promise<void> {
    await this.#branches?.end(({ owner, name }) => owner === stepRun.number && name === branch, 'left');
  }

  async endAll(outcome: string): Promise<void> {
    while (this.#frames.length > 0) await this.#dropFrame(outcome);
  }

  checkpoint(): Checkpoint['frames'] {
    const frames = this.#frames.map(({ flow, stepRun, vars }) => ({
      flow: flow.name,
      flowHash: flow.hash,
      at: stepRun?.step.name ?? '',
      vars: this.#call.mask.apply(maskSensitive(vars, flow.vars)),
    }));
    return this.#branches ? [...frames, ...this.#branches.executions.flatMap((branch) => branch.checkpoint())] : frames;
  }

  /** Runs steps until one waits, or the call is to close. */
  async #advance(first: Turn): Promise<Closing | undefined> {
    const call = this.#call;
    for (let turn = first; turn && !call.closing; ) {
      if ('close' in turn) return turn.close;
      if ('enter' in turn) turn = await this.#enterStep(turn.enter);
      else if ('resume' in turn) turn = await this.#resumeStep(turn.resume);
      else {
        call.stepsAtOnce++;
        const othersFirst = call.ports.yieldTurn?.();
        if (othersFirst) await othersFirst;
        const excess = exceededLimit(call.stepsAtOnce, call.clock.elapsedMs, call.transaction.journalSize);
        if (excess) return { reason: 'limit', fault: excess };
        turn = 'leave' in turn ? await this.#leaveStep(turn.leave) : this.#callFlow(turn.callFlow);
      }
    }
    return undefined;
  }

  #callFlow(request: FlowRequest): Turn {
    const frame = new FlowFrame(this.#call, request);
    frame.isHangupRouted = this.#call.legs.main.state === 'ended';
    // A copy of the exact size: a list that grows takes room for 17 flows.
    this.#frames = this.#frames.concat(frame);
    this.#call.openFlows++;
    return { enter: request.flow.start };
  }

  async #enterStep(name: string): Promise<Turn> {
    if (name === END) return this.#returnFromFlow('done', null);
    const call = this.#call;
    const frame = this.frame!;
    const step = frame.flow.steps.get(name)!;
    const definition = call.ports.steps.get(step.verb)!;
    const isNewVersion = !frame.hasBegun && frame.flow.hash !== call.record.flowHash;
    const count = frame.countEntry(name);
    const stepRun = new StepRun({
      number: ++call.stepRuns,
      count,
      step,
      definition,
      voiceSettings: frame.voiceSettings,
    });
    frame.stepRun = stepRun;
    const flows = this.#countedFrames;
    const branch = this.#branch && `${this.#branch.owner}.${this.#branch.name}`;
    call.append(enteredEntry(stepRun, { flow: frame.flow, depth: flows.length - 1, isNewVersion, branch }));
    for (const each of flows) each.stepCount++;
    const exhausted = flows.find(({ flow, stepCount }) => stepCount > flow.limits.maxSteps)?.flow;
    if (exhausted) {
      const message = `the flow ${exhausted.name} took more than ${exhausted.limits.maxSteps} steps`;
      return { close: { reason: 'limit', fault: fault('too_many_steps', message) } };
    }
    if (step.maxVisits !== undefined && count > step.maxVisits) return { leave: { outcome: 'limit' } };
    if (definition.needsCall && call.legs.main.state === 'ended') return { leave: { outcome: 'hangup' } };
    const skipped = await prepareInput(call, frame, stepRun);
    if (skipped) return { leave: skipped };
    stepRun.start(new StepRunContext(stepRun, call, frame, this));
    return { resume: undefined };
  }

  /** Runs the step's program to its next wait or its end. */
  async #resumeStep(event: StepEvent | undefined): Promise<Turn> {
    const { deadlines, queuedCommands } = this.#call;
    const stepRun = this.stepRun!;
    stepRun.cancelDeadline();
    stepRun.wait = undefined;
    try {
      // The first `next` of a generator ignores its argument.
      const { done, value } = await stepRun.program!.next(event as StepEvent);
      const { calledFlow } = stepRun;
      stepRun.calledFlow = undefined;
      if (done) {
        stepRun.program = undefined;
        return { leave: value };
      }
      stepRun.wait = value;
      if (calledFlow) return { callFlow: calledFlow };
      if (value.withinMs !== undefined) stepRun.deadline = deadlines.arm(stepRun.number, value.withinMs);
      const signal = value.signals && takeQueued(queuedCommands, value.signals);
      return signal && { resume: signal };
    } catch (error) {
      return { leave: { outcome: 'error', fault: faultOf(error) } };
    }
  }

  async #leaveStep(given: StepResult): Promise<Turn> {
    const frame = this.frame!;
    const stepRun = frame.stepRun!;
    const { step } = stepRun;
    const { result = stepRun.resultSoFar?.() } = given;
    const left = result === undefined ? given : { ...given, result };
    const wrong = frame.unroutable(step, left);
    // The outcome has no route, but its result is still useful.
    const routable = wrong ? { outcome: 'error', fault: wrong, result } : left;
    const assigned = assignVariables(this.#call, frame, stepRun, routable);
    const final = assigned instanceof Promise ? await assigned : assigned;
    await this.#endStepRun(frame, final);
    if (final.ends !== 'flows' || !stepRun.nextFlow) return this.#route(frame, step, final);
    // The flows open here are not returned to.
    await this.endAll(final.outcome);
    return { callFlow: stepRun.nextFlow };
  }

  /** Next action after a step that was left with this result. */
  async #route(frame: FlowFrame, step: CompiledStep, result: StepResult): Promise<Turn> {
    if (result.ends === 'call') {
      return { close: { reason: 'completed', output: await this.#finalOutput() } };
    }
    if (result.ends === 'flow') return this.#returnFromFlow(result.outcome, result.result ?? null);
    const target = frame.targetOf(step, result);
    if (target !== END) return { enter: target };
    const isOutermost = this.#frames.length === 1 && !this.#branch;
    // An inner flow that has handled the hang-up passes it on to its caller.
    const isHangup = result.outcome === 'hangup' || (frame.isHangupRouted && !isOutermost);
    if (result.outcome !== 'error') return this.#returnFromFlow(isHangup ? 'hangup' : 'done', null);
    if (!isOutermost) return this.#returnFromFlow('error', null, result.fault);
    return { close: { reason: 'fault', fault: result.fault } };
  }

  async #endStepRun(frame: FlowFrame, { outcome, result, fault: why }: StepResult): Promise<void> {
    const { stepRun } = frame;
    if (!stepRun) return;
    await stepRun.stopProgram();
    // Branches end for the same reason as the step run, unless that had a regular outcome.
    if (this.#branches) {
      await this.#branches.end(({ owner }) => owner === stepRun.number, isReserved(outcome) ? outcome : 'left');
    }
    stepRun.release(this.#call, outcome);
    frame.stepRun = undefined;
    this.#call.append(leftEntry(stepRun, { outcome, result, fault: why }));
    this.#call.transaction.appendOverdue();
  }

  /** Ends the innermost flow: the step that called it continues, or the call ends. */
  async #returnFromFlow(outcome: string, given: Json, failure?: Fault): Promise<Turn> {
    const output = given ?? (await this.#output());
    this.#popFrame();
    if (this.frame) {
      // The output is kept although the caller hung up.
      const soFar = this.stepRun!.resultSoFar;
      if (outcome === 'hangup') return { leave: { outcome, result: soFar?.(output) ?? output ?? undefined } };
      if (outcome === 'error') return { leave: { outcome, fault: failure } };
      return { resume: { type: 'returned', outcome, output } };
    }
    if (this.#branch) {
      this.#branch.onReturn(outcome, output);
      return undefined;
    }
    return { close: { reason: outcome === 'hangup' ? 'hangup' : 'completed', output } };
  }

  /** Output of the innermost flow in its current state. */
  async #output(): Promise<Json> {
    const frame = this.frame!;
    if (!frame.flow.output) return null;
    try {
      return await renderTemplate(frame.flow.output, frame.scope(), frame.evaluation);
    } catch (error) {
      this.#call.append({ kind: 'diagnostic', code: 'output', message: faultOf(error).message });
      return null;
    }
  }

  /** Returns the output of the outermost flow that has one, because all flows end with the call. */
  async #finalOutput(): Promise<Json> {
    if (this.#branch) return null;
    let output = await this.#output();
    while (this.#frames.length > 1) {
      await this.#dropFrame('hangup');
      output = (await this.#output()) ?? output;
    }
    return output;
  }

  async #dropFrame(outcome: string): Promise<void> {
    await this.#endStepRun(this.frame!, { outcome });
    this.#popFrame();
  }

  #popFrame(): void {
    this.#frames = this.#frames.slice(0, -1);
    this.#call.openFlows--;
  }

  #openBranches(): FlowBranches<FlowExecution> {
    this.#branches ??= new FlowBranches<FlowExecution>({
      due: this.#due,
      flows: this.#call,
      stepRun: () => this.stepRun,
      outerFrames: () => [...this.#countedFrames],
      create: (branch) => new FlowExecution(this.#call, this.#due, branch),
      resume: (event) => this.resume(event),
    });
    return this.#branches;
  }
}
