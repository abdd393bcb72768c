/**
 * All ways of one call: the main one, and the flows that steps run beside others.
 *
 * Invariants
 *  W1 one event at a time is handed to one visit at a time; what a branch returns waits until the program that started
 *     it waits for it;
 *  W2 who is asked first: branches before the way they branched off from, in the order in which they were started;
 *  W3 a branch ends at the latest with the visit that started it.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { StepEvent } from '../steps/step.ts';
import { variableFault } from './assign-variables.ts';
import { FlowExecution, type Neighbours, type TraversalHost, type TraversalOptions } from './flow-execution.ts';
import { createFrame, type FlowFrame } from './flow-frame.ts';
import type { Checkpoint, Refusal } from './journal.ts';
import type { StepRun } from './step-run.ts';

/** Outcomes that only the call itself can give. */
const RESERVED_OUTCOMES = ['hangup', 'limit'];

export class FlowExecutions implements Neighbours {
  readonly main: FlowExecution;
  readonly #host: TraversalHost;
  readonly #options: TraversalOptions;
  readonly #branches = new Set<FlowExecution>();
  /** What is to be done before the next input, in order. */
  readonly #due: (() => Promise<void>)[] = [];
  #starting = 0;
  #visits = 0;

  constructor(host: TraversalHost, options: TraversalOptions) {
    this.#host = host;
    this.#options = options;
    this.main = new FlowExecution(host, this, options);
  }

  /** The visits being run. */
  get stepRuns(): StepRun[] {
    if (this.#branches.size > 0) return this.#all().flatMap(({ stepRun }) => (stepRun ? [stepRun] : []));
    const { stepRun } = this.main;
    return stepRun ? [stepRun] : [];
  }

  get mayAskSensitive(): boolean {
    return this.#all().some((execution) => execution.mayCollectSensitive);
  }

  async begin(flow: CompiledFlow, input: JsonObject): Promise<void> {
    await this.main.begin(createFrame(flow, input));
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Hands an event to the visit, if it is still being run. */
  async resume(stepRun: StepRun, event: StepEvent): Promise<void> {
    await this.#wayOf(stepRun)?.resume(event);
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Hands an event that nobody asked for to every visit that waits. */
  async broadcast(event: StepEvent): Promise<void> {
    for (const stepRun of this.stepRuns) await this.resume(stepRun, event);
  }

  handles(interrupt: string): boolean {
    return this.#all().some((execution) => execution.handles(interrupt));
  }

  /** `within`: only the flows around this visit are asked. */
  async interrupt(name: string, within?: StepRun): Promise<boolean> {
    const execution = within ? this.#outwards(within).find((each) => each.handles(name)) : this.#handler(name);
    if (!execution) return false;
    await execution.interrupt(name);
    await this.#settle();
    return true;
  }

  /** `told` notes the end of the call, after what was heard last and before what the flows do about it. */
  async onCallerGone(told: () => void): Promise<void> {
    const left: (() => Promise<void>)[] = [];
    for (const execution of this.#all()) {
      const goOn = await execution.onCallerGone();
      if (goOn) left.push(goOn);
    }
    told();
    for (const goOn of left) await goOn();
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Why the step being run cannot be ended with this outcome. */
  refusalOf(outcome: string, set: JsonObject): Refusal | undefined {
    const execution = this.#router(outcome);
    if (!execution) return 'unknown_outcome';
    return variableFault(execution.flow!, set) ? 'not_accepted_here' : undefined;
  }

  /** Ends a step being run with an outcome that its flow routes. */
  async force(outcome: string, set: JsonObject): Promise<void> {
    await this.#router(outcome)?.force({ outcome, vars: set });
    await this.#settle();
  }

  /** The visit that gives way to an order of this signal. */
  preemptibleBy(signal: string): StepRun | undefined {
    return this.#all().find((execution) => execution.preemptedResult(signal) !== undefined)?.stepRun;
  }

  /** Ends the visit for that order. */
  async preempt(stepRun: StepRun, signal: string): Promise<void> {
    const execution = this.#wayOf(stepRun);
    const result = execution?.preemptedResult(signal);
    if (execution && result) await execution.force(result);
    await this.#settle();
  }

  async endAll(outcome: string): Promise<void> {
    for (const execution of this.#all()) await execution.endAll(outcome);
    this.#branches.clear();
    this.#due.length = 0;
    this.#starting = 0;
  }

  /** The flows that the visit started beside others end with it. */
  endBranches(stepRun: StepRun, outcome: string): Promise<void> | undefined {
    return this.#branches.size === 0 ? undefined : this.#endBranches(stepRun, outcome);
  }

  async #endBranches(stepRun: StepRun, outcome: string): Promise<void> {
    // What ends the visit ends them, unless it came to an outcome of its own.
    const shared = outcome.startsWith('$') || RESERVED_OUTCOMES.includes(outcome) ? outcome : 'left';
    for (const execution of [...this.#branches]) {
      if (execution.branch?.owner !== stepRun) continue;
      await execution.endAll(shared);
      this.#branches.delete(execution);
    }
  }

  checkpoint(): Checkpoint {
    const ways = [this.main, ...this.#branches];
    return { frames: ways.flatMap((execution) => execution.checkpoint()), visit: this.#visits };
  }

  // What ways ask of each other

  get frames(): number {
    return this.#all().reduce((sum, execution) => sum + execution.frames.length, this.#starting);
  }

  nextNumber(): number {
    return ++this.#visits;
  }

  branchOff(parent: FlowExecution, owner: StepRun, name: string, frame: FlowFrame): void {
    this.#starting++;
    this.#due.push(async () => {
      this.#starting--;
      if (parent.stepRun !== owner) return;
      const execution = new FlowExecution(this.#host, this, this.#options, { name, owner, parent });
      this.#branches.add(execution);
      await execution.begin(frame);
    });
  }

  returned(execution: FlowExecution, outcome: string, output: Json): void {
    this.#branches.delete(execution);
    const { parent, owner, name } = execution.branch!;
    this.#due.push(async () => {
      if (parent.stepRun === owner) await parent.resume({ type: 'branch_returned', branch: name, outcome, output });
    });
  }

  #settle(): Promise<void> | undefined {
    return this.#due.length === 0 ? undefined : this.#settleDue();
  }

  async #settleDue(): Promise<void> {
    for (let next = this.#due.shift(); next; next = this.#due.shift()) await next();
  }

  /** W2 */
  #all(from: FlowExecution = this.main): FlowExecution[] {
    if (this.#branches.size === 0) return [from];
    const inside = [...this.#branches].filter(({ branch }) => branch?.parent === from);
    return [...inside.flatMap((execution) => this.#all(execution)), from];
  }

  #wayOf(stepRun: StepRun): FlowExecution | undefined {
    return this.#all().find((execution) => execution.stepRun === stepRun);
  }

  #handler(interrupt: string): FlowExecution | undefined {
    return this.#all().find((execution) => execution.handles(interrupt));
  }

  #router(outcome: string): FlowExecution | undefined {
    if (outcome.startsWith('$') || RESERVED_OUTCOMES.includes(outcome)) return undefined;
    return this.#all().find((execution) => execution.routes(outcome));
  }

  #outwards(stepRun: StepRun): FlowExecution[] {
    const ways: FlowExecution[] = [];
    for (let execution = this.#wayOf(stepRun); execution; execution = execution.branch?.parent) ways.push(execution);
    return ways;
  }
}
