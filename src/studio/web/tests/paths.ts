/**
 * What tests say on a graph: the way of one, two ways where another one was expected, and what none of them reaches. Pure.
 */
import type { FlowGraph, GraphExit } from '../../../flow/graph.ts';
import type { Change, Counts, Marks } from '../graph/marks.ts';
import { type Aligned, align } from '../journal/align.ts';
import type { Coverage, TestReport } from './test-run.ts';

/** What a test marks: its way, and what was expected where it went another one. */
export function marksOf(report: TestReport, graph: FlowGraph): Marks {
  const own = report.path.filter(({ flow }) => flow === undefined);
  const steps = new Map<string, number>();
  const exits = new Map<string, number>();
  for (const { step, outcome } of own) {
    count(steps, step);
    if (outcome !== undefined) count(exits, `${step} ${outcome}`);
  }
  const marks: Marks = { path: { steps, exits } };
  const diff = diffOf(report, graph);
  return diff === undefined ? marks : { ...marks, diff };
}

/** Expected and taken, beside each other; undefined where they are the same, or no path was expected. */
export function alignedPaths({ path, expected_path }: TestReport): Aligned[] | undefined {
  if (expected_path === undefined) return undefined;
  const aligned = align(expected_path, takenPath({ path, expected_path }));
  return aligned.every(({ of }) => of === 'both') ? undefined : aligned;
}

/** As the test writes it: with the steps of other flows only if it names some. */
export function takenPath({ path, expected_path = [] }: Pick<TestReport, 'path' | 'expected_path'>): string[] {
  const withInner = expected_path.some((step) => step.includes('/'));
  return path
    .filter(({ flow }) => withInner || flow === undefined)
    .map(({ step, flow }) => (flow === undefined ? step : `${flow}/${step}`));
}

/** `added`: it went there and should not; `removed`: it should have gone there. */
function diffOf(report: TestReport, graph: FlowGraph): Marks['diff'] | undefined {
  const aligned = alignedPaths(report);
  if (aligned === undefined) return undefined;
  const expected = report.expected_path!;
  const taken = takenPath(report);
  const steps = new Map<string, Change>();
  const exits = new Map<string, Change>();
  const ways = new Set(waysOf(taken, graph));
  const expectedWays = new Set(waysOf(expected, graph));
  for (const way of ways) if (!expectedWays.has(way)) exits.set(way, 'added');
  for (const way of expectedWays) if (!ways.has(way)) exits.set(way, 'removed');
  for (const at of aligned) {
    if (at.of === 'now' && !expected.includes(taken[at.now]!)) steps.set(taken[at.now]!, 'added');
    if (at.of === 'before' && !taken.includes(expected[at.before]!)) steps.set(expected[at.before]!, 'removed');
  }
  return { steps, exits, words: { added: 'went here', removed: 'expected', changed: 'changed' } };
}

/** The exits that lead from each step to the next, as the graph names them. */
function waysOf(path: readonly string[], graph: FlowGraph): string[] {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  return path.slice(1).flatMap((target, index) => {
    const from = path[index]!;
    const exit = steps.get(from)?.exits.find((each) => each.target === target);
    return exit === undefined ? [] : [`${from} ${exit.outcome}`];
  });
}

export const countsOf = ({ steps, exits }: Coverage): Counts => ({
  steps: new Map(Object.entries(steps)),
  exits: new Map(Object.entries(exits)),
});

export interface Reached {
  steps: number;
  ofSteps: number;
  outcomes: number;
  ofOutcomes: number;
  /** In the order of the flow. */
  missing: { step: string; outcome?: string; label?: string }[];
}

/** Faults of ours are left out: a caller cannot cause them. */
export function reachedOf(graph: FlowGraph, coverage: Coverage): Reached {
  const reached: Reached = { steps: 0, ofSteps: graph.steps.length, outcomes: 0, ofOutcomes: 0, missing: [] };
  for (const { name, exits } of graph.steps) {
    const isReached = (coverage.steps[name] ?? 0) > 0;
    if (isReached) reached.steps++;
    else reached.missing.push({ step: name });
    for (const exit of exits.filter(({ outcome, own }) => own && outcome !== 'error')) {
      reached.ofOutcomes++;
      if (hitsOf(name, exit, coverage) > 0) reached.outcomes++;
      else if (isReached)
        reached.missing.push({ step: name, outcome: exit.outcome, label: exit.label ?? exit.outcome });
    }
  }
  return reached;
}

const hitsOf = (step: string, { outcome, covers }: GraphExit, { exits }: Coverage): number =>
  [...new Set([outcome, ...covers])].reduce((sum, each) => sum + (exits[`${step} ${each}`] ?? 0), 0);

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
