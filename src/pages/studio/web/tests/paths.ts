/**
 * Overlays for tests: the path of one test, expected and actual path if they differ, and uncovered exits. Pure.
 */
import type { FlowGraph, GraphExit } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { Overlays, VisitCounts } from '../graph/overlays.ts';
import { alignedWays, countsOfWays, twoWays } from '../graph/two-paths.ts';
import type { Aligned } from '../journal/align.ts';
import type { Coverage, TestReportData } from './test-run.ts';

export const WORDS_OF_TEST = { added: t('went here'), removed: t('expected') } as const;

/** Path of a test, with the expected path if it differs. */
export function marksOf(report: TestReportData, graph: FlowGraph): Overlays {
  const taken = report.path.filter(({ flow }) => flow === undefined);
  const expected = report.expected_path?.filter((step) => !step.includes('/')).map((step) => ({ step }));
  const diff = expected && twoWays(expected, taken, graph, WORDS_OF_TEST);
  const path = countsOfWays([taken], graph);
  return diff === undefined ? { path } : { path, diff };
}

/** Expected and actual path, aligned. Undefined if they are equal or no path was expected. */
export function alignedPaths({ path, expected_path }: TestReportData): Aligned[] | undefined {
  if (expected_path === undefined) return undefined;
  const taken = takenPath({ path, expected_path });
  return alignedWays(
    expected_path.map((step) => ({ step })),
    taken.map((step) => ({ step })),
  );
}

/** Steps of the path in the form of the test: with steps of other flows only if the test names some. */
export function takenPath({ path, expected_path = [] }: Pick<TestReportData, 'path' | 'expected_path'>): string[] {
  const withInner = expected_path.some((step) => step.includes('/'));
  return path
    .filter(({ flow }) => withInner || flow === undefined)
    .map(({ step, flow }) => (flow === undefined ? step : `${flow}/${step}`));
}

export const countsOf = ({ steps, exits }: Coverage): VisitCounts => ({
  steps: new Map(Object.entries(steps)),
  exits: new Map(Object.entries(exits)),
});

export interface Reached {
  steps: number;
  ofSteps: number;
  outcomes: number;
  ofOutcomes: number;
  /** Uncovered steps and exits, in flow order. */
  missing: { step: string; outcome?: string; label?: string }[];
}

/** Coverage without `error` exits, because no action of the caller causes them. */
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
