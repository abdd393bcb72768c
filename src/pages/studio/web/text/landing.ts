/**
 * Target of the unsuccessful outcomes of a new step: where the flow leads such outcomes already. It never leads back to
 * the step, so that a new step makes no loop. A target from which the caller hears something is preferred, because
 * `check` warns of calls that end without a prompt.
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
 * The first that exists of: the targets for this family of outcomes, the most frequent first; the target of `error` by
 * default; the nearest step that ends the flow; the end itself. The first two are passed over for one that is heard.
 */
export function landingOf(family: string, place: Landing): string {
  const { graph } = place;
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const isSafe = (target: string): boolean => steps.has(target) && !leadsTo(target, place.after, steps);
  const byDefault = graph.defaults['error'];
  const known = [
    ...mostUsed(graph, family).filter(isSafe),
    ...(byDefault === '$end' || (byDefault !== undefined && isSafe(byDefault)) ? [byDefault] : []),
  ];
  return known.find((target) => isHeardFrom(target, steps)) ?? known[0] ?? nearestEnd(place, steps) ?? '$end';
}

/** True if the caller hears something on each path from the step to an end, unless an error occurs. */
function isHeardFrom(start: string, steps: ReadonlyMap<string, GraphStep>): boolean {
  const seen = new Set([start]);
  for (const name of seen) {
    const step = steps.get(name);
    if (step === undefined || (step.group === 'end' && step.exits.length === 0)) return false;
    const mayBeHeard = step.opens !== undefined || (step.group !== 'logic' && step.group !== 'outside');
    if (mayBeHeard) continue;
    for (const { outcome, target } of step.exits) if (outcome !== 'error' && outcome !== 'hangup') seen.add(target);
  }
  return true;
}

/** True if an error of the new step leads back to it by default, because the step follows the handling of errors. */
export function isErrorCircular({ graph, after }: Landing): boolean {
  const target = graph.defaults['error'];
  if (target === undefined) return false;
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
