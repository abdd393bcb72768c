/**
 * Coverage of a flow by a set of calls: reached steps, outcomes and interrupts. The outcome `error` is excluded,
 * because a caller cannot cause internal errors. Steps of other versions of the flow are matched by name.
 */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { leftStepsIn } from './left-steps.ts';

export interface CoverageCount {
  total: number;
  covered: number;
}

export interface FlowCoverage {
  flow: string;
  file: string;
  steps: CoverageCount;
  outcomes: CoverageCount;
  interrupts: CoverageCount;
  /** Uncovered steps and outcomes, in the order of the file. */
  missing: CoverageGap[];
}

export type CoverageGap =
  | { kind: 'step'; step: string; place: SourceLocation }
  | { kind: 'outcome'; step: string; outcome: string; place: SourceLocation }
  | { kind: 'interrupt'; interrupt: string };

/** The journals may be of any calls: only steps of this flow are counted, including its runs as a subflow. */
export function coverageOf(flow: CompiledFlow, journals: Iterable<readonly JournalEntry[]>): FlowCoverage {
  const { steps, outcomes, interrupts } = visitsOf(flow.name, journals);
  const missing: CoverageGap[] = [];
  const count = { steps: 0, outcomes: 0 };
  const total = { steps: 0, outcomes: 0 };
  for (const [step, { exits, location: place }] of flow.steps) {
    total.steps++;
    if (steps.has(step)) count.steps++;
    else missing.push({ kind: 'step', step, place });
    for (const outcome of Object.keys(exits)) {
      if (outcome === 'error') continue;
      total.outcomes++;
      if (outcomes.has(`${step} ${outcome}`)) count.outcomes++;
      else if (steps.has(step)) missing.push({ kind: 'outcome', step, outcome, place });
    }
  }
  const names = Object.keys(flow.events);
  for (const interrupt of names) if (!interrupts.has(interrupt)) missing.push({ kind: 'interrupt', interrupt });
  return {
    flow: flow.name,
    file: flow.file,
    steps: { total: total.steps, covered: count.steps },
    outcomes: { total: total.outcomes, covered: count.outcomes },
    interrupts: { total: names.length, covered: names.filter((name) => interrupts.has(name)).length },
    missing,
  };
}

/** Steps that are reachable without the outcome `error`, from the start, from events and from `more`. */
export function stepsWithoutErrors(
  { start, steps, events }: CompiledFlow,
  more: Iterable<string> = [],
): ReadonlySet<string> {
  const reached = new Set([start, ...Object.values(events), ...more]);
  for (const name of reached) {
    for (const [outcome, target] of Object.entries(steps.get(name)?.exits ?? {})) {
      if (outcome !== 'error') reached.add(target);
    }
  }
  return reached;
}

/** Number of entries into each step of a flow, and of exits by each outcome (`step outcome`); interrupts by name. */
export function visitsOf(flow: string, journals: Iterable<readonly JournalEntry[]>) {
  const steps = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const interrupts = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const journal of journals) {
    for (const entry of journal) if (entry.kind === 'entered' && entry.flow === flow) count(steps, entry.step);
    for (const { flow: leftFlow, step, outcome } of leftStepsIn(journal)) {
      if (leftFlow !== flow) continue;
      count(outcomes, `${step} ${outcome}`);
      if (outcome.startsWith('$')) count(interrupts, outcome.slice(1));
      // A hangup is an outcome of the running step that the flow's event routes.
      if (outcome === 'hangup') count(interrupts, 'hangup');
    }
  }
  return { steps, outcomes, interrupts };
}
