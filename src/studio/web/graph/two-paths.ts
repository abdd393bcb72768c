/**
 * Two ways through one graph: that which was expected, or was gone then, and that which is taken now. Where they part, the
 * one is marked as removed, the other as added. Pure.
 */
import type { FlowGraph, GraphExit } from '../../../flow/graph.ts';
import { type Aligned, align } from '../journal/align.ts';
import { exitId } from './drawing.ts';
import type { Change, Counts, Marks } from './marks.ts';

export interface WayStep {
  step: string;
  /** As the journal names it; absent where only the order of the steps is known. */
  outcome?: string;
}

export type Way = readonly WayStep[];

/** `added` and `removed` in the words of those who compare. */
export type WordsOfWays = Readonly<Record<'added' | 'removed', string>>;

/** Beside each other; undefined where both go through the same steps. */
export function alignedWays(before: Way, now: Way): Aligned[] | undefined {
  const [was, is] = [before, now].map((way) => way.map(({ step }) => step));
  const aligned = align(was!, is!);
  return aligned.every(({ of }) => of === 'both') ? undefined : aligned;
}

/** Undefined where both are the same. */
export function twoWays(before: Way, now: Way, graph: FlowGraph, words: WordsOfWays): Marks['diff'] | undefined {
  if (alignedWays(before, now) === undefined) return undefined;
  const steps = new Map<string, Change>();
  const exits = new Map<string, Change>();
  const only = (one: Way, other: Way, change: Change): void => {
    const others = new Set(other.map(({ step }) => step));
    const otherExits = new Set(exitsBetween(other, graph));
    for (const { step } of one) if (!others.has(step)) steps.set(step, change);
    for (const exit of exitsBetween(one, graph)) if (!otherExits.has(exit)) exits.set(exit, change);
  };
  only(now, before, 'added');
  only(before, now, 'removed');
  return { steps, exits, words: { ...words, changed: 'changed' } };
}

/** How often the ways go through each step and each exit, together. A step that both go through once was there once. */
export function countsOfWays(ways: readonly Way[], graph: FlowGraph): Counts {
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

/** Without the exit of the last step: of a way that is only a list of steps nobody knows it. */
const exitsBetween = (way: Way, graph: FlowGraph): string[] =>
  exitsOf(
    way.map((each, index) => (index < way.length - 1 ? each : { step: each.step })),
    graph,
  );

/** The exits that lead from each step to the next, as the graph names them. */
function exitsOf(way: Way, graph: FlowGraph): string[] {
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
