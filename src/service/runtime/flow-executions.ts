/**
 * All flow executions of one call: the main one, and the branches that steps run concurrently. Passes events and
 * commands to their step runs, and closes the call when an execution requires it.
 *
 * Invariants
 *  - One step run at a time receives one event at a time.
 *  - Branches are asked before the execution that started them, in the order in which they were started.
 *  W3 The call is closed once.
 */
import { type Cause, NORMAL_CLEARING, TEMPORARY_FAILURE } from '../../base/core/causes.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { CallActivity } from '../../language/flow/verb-facts.ts';
import { CONNECTING_COMMANDS, type StepEvent } from '../../language/steps/step.ts';
import type { CallContext, Closing } from './call-context.ts';
import type { DueWork } from './flow-branches.ts';
import { FlowExecution, isReserved } from './flow-execution.ts';
import type { Checkpoint, Refusal } from './journal.ts';
import { variableFault } from './step-data.ts';
import type { FlowRequest, StepRun } from './step-run.ts';

/** Built-in flow of calls that only REST controls. */
const ORDERS = 'rest-control';
/** Timeout after an order that took the call out of its own flow: nothing else would end the call. */
const IDLE_TIMEOUT = '30s';

export class FlowExecutions {
  readonly main: FlowExecution;
  readonly #call: CallContext;
  /** Branches to start, and their results to pass on, before the next input. */
  readonly #due: DueWork[] = [];

  constructor(call: CallContext) {
    this.#call = call;
    this.main = new FlowExecution(call, this.#due);
  }

  /** Active step runs. */
  get stepRuns(): StepRun[] {
    if (this.main.hasBranches) return this.main.all.flatMap(({ stepRun }) => stepRun ?? []);
    const { stepRun } = this.main;
    return stepRun ? [stepRun] : [];
  }

  get mayCollectSensitive(): boolean {
    return this.main.all.some((execution) => execution.mayCollectSensitive);
  }

  /** True if an active step takes sensitive input. */
  get isSensitive(): boolean {
    return this.stepRuns.some(({ hidesKeys }) => hidesKeys);
  }

  start(flow: FlowRequest): Promise<void> {
    return this.#complete(this.main.start(flow));
  }

  /** Passes an event to the step run, if it is still active. */
  async resume(stepRun: StepRun, event: StepEvent): Promise<void> {
    const execution = this.#executionOf(stepRun);
    if (execution) await this.#complete(execution.resume(event));
  }

  /** Passes an event to every active step run. */
  async broadcast(event: StepEvent): Promise<void> {
    for (const stepRun of this.stepRuns) await this.resume(stepRun, event);
  }

  handles(interrupt: string): boolean {
    return this.main.all.some((execution) => execution.handles(interrupt));
  }

  /** `within`: only the flows around this step run are asked. */
  async interrupt(name: string, within?: StepRun): Promise<boolean> {
    const asked = within ? this.#around(within) : this.main.all;
    const execution = asked.find((each) => each.handles(name));
    if (!execution) return false;
    await this.#complete(execution.interrupt(name));
    return true;
  }

  /**
   * The main leg has ended: the end of the call is written after the steps were left, and before the flows continue.
   */
  async onCallerGone(cause: Cause, hasFailed: boolean): Promise<void> {
    const call = this.#call;
    call.keepRoomId();
    call.bridges.close(cause);
    const continuations: DueWork[] = [];
    for (const execution of this.main.all) {
      const continuation = await execution.onCallerGone();
      if (continuation) continuations.push(continuation);
    }
    call.endRecord(cause, hasFailed);
    this.#due.unshift(...continuations);
    await this.#complete();
    call.legs.hangUpHeldPeer();
  }

  /** Current activity of the call, for commands that conflict with it. */
  get activity(): CallActivity | undefined {
    return this.stepRuns.find(({ definition }) => definition.activity)?.definition.activity;
  }

  /** The step run that waits for this signal. */
  awaiting(signal: string): StepRun | undefined {
    return this.stepRuns.find(({ wait }) => wait?.signals?.includes(signal));
  }

  /** Reason why no active step run can be ended with this outcome. */
  outcomeRefusal(outcome: string, set: JsonObject): Refusal | undefined {
    const execution = this.#routerOf(outcome);
    if (!execution) return 'unknown_outcome';
    return variableFault(execution.frame!.flow, set) ? 'not_accepted_here' : undefined;
  }

  /** Ends a step run with an outcome that its flow routes. */
  async force(outcome: string, set: JsonObject): Promise<void> {
    await this.#complete(this.#routerOf(outcome)?.force({ outcome, vars: set }));
  }

  /** The step run that a command with this signal preempts. */
  preemptibleBy(signal: string): StepRun | undefined {
    return this.main.all.find((execution) => execution.preemptedResult(signal) !== undefined)?.stepRun;
  }

  /** Ends the step run in favour of that command. */
  async preempt(stepRun: StepRun, signal: string): Promise<void> {
    const execution = this.#executionOf(stepRun);
    const result = execution?.preemptedResult(signal);
    if (execution && result) await this.#complete(execution.force(result));
  }

  /**
   * Flow for an order that arrives during a prompt or a meeting of the call's own flow, which is then left permanently.
   * Undefined if the active step does not give way to the order.
   */
  flowForOrder(signal: string): CompiledFlow | undefined {
    if (!CONNECTING_COMMANDS.includes(signal)) return undefined;
    const givesWay = this.stepRuns.some(({ definition }) => definition.preemptedBy?.to.includes(signal));
    return givesWay ? this.#call.ports.flow(ORDERS) : undefined;
  }

  /** Leaves all flows for the one that accepts the queued order. */
  async leaveFor(flow: CompiledFlow, signal: string): Promise<void> {
    await this.#complete(this.main.continueWith({ flow, input: { idle_timeout: IDLE_TIMEOUT } }, signal));
  }

  /** W3. The call is over when all its legs have ended after that. */
  async close(closing: Closing): Promise<void> {
    const call = this.#call;
    if (call.closing) return;
    call.keepRoomId();
    for (const execution of this.main.all) await execution.endAll(closing.reason === 'limit' ? 'limit' : 'hangup');
    this.#due.length = 0;
    call.closing = closing;
    call.legs.hangUpHeldPeer();
    const isBroken = closing.fault !== undefined || closing.reason === 'lost';
    call.legs.hangUp(call.legs.main, (isBroken ? TEMPORARY_FAILURE : NORMAL_CLEARING).code);
  }

  checkpoint(): Checkpoint {
    return { frames: this.main.checkpoint(), visit: this.#call.stepRuns };
  }

  /** Completes a change of one execution: closes the call if required, and does the due work. */
  async #complete(change?: Promise<Closing | undefined>): Promise<void> {
    const closing = await change;
    if (closing) await this.close(closing);
    for (let work = this.#due.shift(); work; work = this.#due.shift()) {
      const next = await work();
      if (next) await this.close(next);
    }
  }

  #executionOf(stepRun: StepRun): FlowExecution | undefined {
    return this.main.all.find((execution) => execution.stepRun === stepRun);
  }

  #routerOf(outcome: string): FlowExecution | undefined {
    return isReserved(outcome) ? undefined : this.main.all.find((execution) => execution.routes(outcome));
  }

  /** The execution of the step run, and those that enclose it, innermost first. */
  #around(stepRun: StepRun): FlowExecution[] {
    const { all } = this.main;
    const inner = all.find((execution) => execution.stepRun === stepRun);
    return inner ? all.filter((execution) => execution.all.includes(inner)) : [];
  }
}
