/**
 * Branches of one execution: flows that run concurrently with the step run that started them. Neighbour:
 * `flow-execution.ts` runs the flow of a branch like any other.
 *
 * Invariant
 *  T4 A branch ends at the latest with the step run that started it; its result waits until that step waits for it.
 */
import type { Json } from '../../base/core/json.ts';
import type { StepEvent } from '../../language/steps/step.ts';
import type { Closing } from './call-context.ts';
import type { FlowFrame } from './flow-frame.ts';
import type { FlowRequest, StepRun } from './step-run.ts';

/** Work to do before the next input; returns a closing if it ends the call. */
export type DueWork = () => Promise<Closing | undefined>;

/** Context of an execution that runs concurrently with the step run that started it. */
export interface Branch {
  /** Number of that step run, and the name of the branch. */
  owner: number;
  name: string;
  /** Enclosing flows, innermost first: their limits count its steps. */
  outerFrames: readonly FlowFrame[];
  onReturn(outcome: string, output: Json): void;
}

/** Controls of a branch for its parent. */
interface BranchExecution {
  start(flow: FlowRequest): Promise<Closing | undefined>;
  endAll(outcome: string): Promise<void>;
}

interface BranchesParts<Execution> {
  due: DueWork[];
  /** Flows of the call that run or are about to. */
  flows: { openFlows: number };
  /** Active step run of the parent. */
  stepRun(): StepRun | undefined;
  /** Flows that enclose a branch, innermost first. */
  outerFrames(): readonly FlowFrame[];
  create(branch: Branch): Execution;
  /** Passes an event to the active step run of the parent. */
  resume(event: StepEvent): Promise<Closing | undefined>;
}

export class FlowBranches<Execution extends BranchExecution> {
  readonly #parts: BranchesParts<Execution>;
  /** Running branches, in the order of their start. */
  readonly #running = new Map<Execution, Branch>();

  constructor(parts: BranchesParts<Execution>) {
    this.#parts = parts;
  }

  get executions(): readonly Execution[] {
    return [...this.#running.keys()];
  }

  get size(): number {
    return this.#running.size;
  }

  /** T4: starts once the step waits. */
  start(owner: StepRun, name: string, flow: FlowRequest): void {
    const { due, flows, stepRun, outerFrames, create, resume } = this.#parts;
    flows.openFlows++;
    due.push(async () => {
      flows.openFlows--;
      if (stepRun() !== owner) return undefined;
      const onReturn = (outcome: string, output: Json): void => {
        this.#running.delete(execution);
        const event: StepEvent = { type: 'branch_returned', branch: name, outcome, output };
        due.push(async () => (stepRun() === owner ? resume(event) : undefined));
      };
      const branch = { owner: owner.number, name, outerFrames: outerFrames(), onReturn };
      const execution = create(branch);
      this.#running.set(execution, branch);
      return execution.start(flow);
    });
  }

  async end(isMeant: (branch: Branch) => boolean, outcome: string): Promise<void> {
    for (const [execution, branch] of [...this.#running]) {
      if (!isMeant(branch)) continue;
      await execution.endAll(outcome);
      this.#running.delete(execution);
    }
  }
}
