/**
 * Target of the unsuccessful outcomes of a new step: where the flow leads such outcomes already. It never leads back to
 * the step, so that a new step makes no loop.
 */
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';

export interface Landing {
  graph: FlowGraph;
  /** Step before the new one; undefined: the new step is the first. */
  after: string | undefined;
  /** Target of the outcome that continues the call. */
  next: string;
}

/**
 * The first that exists of: the target of most steps for this family of outcomes, the target of `error` by default, the
 * nearest step that ends the flow, the end itself.
 */
export function landingOf(family: string, place: Landing): string {
  const { graph } = place;
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const isSafe = (target: string): boolean => steps.has(target) && !leadsTo(target, place.after, steps);
  const byDefault = graph.defaults['error'];
  return (
    mostUsed(graph, family).find(isSafe) ??
    (byDefault === '$end' || (byDefault !== undefined && isSafe(byDefault)) ? byDefault : undefined) ??
    nearestEnd(place, steps) ??
    '$end'
  );
}

/** True if an error of the new step leads back to it by default, because the step handles an error. */
export function isErrorCircular({ graph, after }: Landing, outcome: string | undefined): boolean {
  const target = graph.defaults['error'];
  if (outcome?.split('.')[0] !== 'error' || target === undefined) return false;
  return leadsTo(target, after, new Map(graph.steps.map((step) => [step.name, step])));
}

/** Targets of the exits of this family in the whole flow, the most frequent first. */
function mostUsed({ steps }: FlowGraph, family: string): string[] {
  const counts = new Map<string, number>();
  for (const { outcome, own, target } of steps.flatMap(({ exits }) => exits)) {
    if (own && target !== '' && outcome.split('.')[0] === family) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([target]) => target);
}

/** Searches breadth first, from both ends of the exit at which the new step is. */
function nearestEnd({ after, next }: Landing, steps: ReadonlyMap<string, GraphStep>): string | undefined {
  const seen = new Set([next, ...(after === undefined ? [] : [after])]);
  for (const name of seen) {
    const step = steps.get(name);
    if (step?.group === 'end' && step.exits.length === 0) return name;
    for (const { target } of steps.get(name)?.exits ?? []) seen.add(target);
  }
  return undefined;
}

function leadsTo(from: string, to: string | undefined, steps: ReadonlyMap<string, GraphStep>): boolean {
  const seen = new Set([from]);
  for (const name of seen) {
    if (name === to) return true;
    for (const { target } of steps.get(name)?.exits ?? []) seen.add(target);
  }
  return false;
}
