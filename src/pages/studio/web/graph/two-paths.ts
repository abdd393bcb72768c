/**
 * Compares two paths through one graph: the expected or recorded one, and the current one. Where they differ, the
 * former is marked as removed and the latter as added. Pure.
 */
import type { FlowGraph, GraphExit } from '../../../../language/flow/graph.ts';
import { type Aligned, align } from '../journal/align.ts';
import { exitId } from './drawing.ts';
import type { DiffMark, Overlays, VisitCounts } from './overlays.ts';

export interface WayStep {
  step: string;
  /** Outcome as in the journal. Absent if only the order of the steps is known. */
  outcome?: string;
}

export type ComparedPath = readonly WayStep[];

/** Display names of `added` and `removed`. */
export type WordsOfWays = Readonly<Record<'added' | 'removed', string>>;

/** Aligned paths. Undefined if both have the same steps. */
export function alignedWays(before: ComparedPath, now: ComparedPath): Aligned[] | undefined {
  const [was, is] = [before, now].map((way) => way.map(({ step }) => step));
  const aligned = align(was!, is!);
  return aligned.every(({ of }) => of === 'both') ? undefined : aligned;
}

/** Overlay for the differences. Undefined if both paths have the same steps. */
export function twoWays(
  before: ComparedPath,
  now: ComparedPath,
  graph: FlowGraph,
  words: WordsOfWays,
): Overlays['diff'] | undefined {
  if (alignedWays(before, now) === undefined) return undefined;
  const steps = new Map<string, DiffMark>();
  const exits = new Map<string, DiffMark>();
  const only = (one: ComparedPath, other: ComparedPath, change: DiffMark): void => {
    const others = new Set(other.map(({ step }) => step));
    const otherExits = new Set(exitsBetween(other, graph));
    for (const { step } of one) if (!others.has(step)) steps.set(step, change);
    for (const exit of exitsBetween(one, graph)) if (!otherExits.has(exit)) exits.set(exit, change);
  };
  only(now, before, 'added');
  only(before, now, 'removed');
  return { steps, exits, words: { ...words, changed: 'changed' } };
}

/** Counts for both paths together. For each step and exit, the larger of the two counts is used. */
export function countsOfWays(ways: readonly ComparedPath[], graph: FlowGraph): VisitCounts {
  const most = (lists: readonly (readonly string[])[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const list of lists) {
      const own = new Map<string, number>();
      for (const key of list) own.set(key, (own.get(key) ?? 0) + 1);
      for (const [key, count] of own) counts.set(key, Math.max(count, counts.get(key) ?? 0));
    }
    return counts;
  };
  return {
    steps: most(ways.map((way) => way.map(({ step }) => step))),
    exits: most(ways.map((way) => exitsOf(way, graph))),
  };
}

/** Without the exit of the last step, which is unknown for a path that is only a list of steps. */
const exitsBetween = (way: ComparedPath, graph: FlowGraph): string[] =>
  exitsOf(
    way.map((each, index) => (index < way.length - 1 ? each : { step: each.step })),
    graph,
  );

/** Exits between consecutive steps, by the names in the graph. */
function exitsOf(way: ComparedPath, graph: FlowGraph): string[] {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  return way.flatMap(({ step, outcome }, index) => {
    const exits = steps.get(step)?.exits ?? [];
    const next = way[index + 1]?.step;
    const takes = (exit: GraphExit): boolean =>
      outcome !== undefined && (exit.outcome === outcome || exit.covers.includes(outcome));
    const leads = ({ target }: GraphExit): boolean => target === next;
    const exit = exits.find((each) => takes(each) && leads(each)) ?? exits.find(next === undefined ? takes : leads);
    return exit === undefined ? [] : [exitId(step, exit.outcome)];
  });
}
