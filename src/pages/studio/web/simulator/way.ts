/** Automatic path to a step: chooses the exit that leads there, and the possible action that takes this exit. Pure. */
import type { FlowGraph, GraphExit, GraphLanguage, GraphStep } from '../../../../language/flow/graph.ts';
import type { CallerAction } from './acts.ts';
import type { SimulationData } from './simulation.ts';

/** First exit of the shortest path between two steps. */
export function nextExit(
  graph: FlowGraph,
  from: string,
  to: string,
  verbs: GraphLanguage,
): { step: GraphStep; exit: GraphExit } | undefined {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const begin = steps.get(from);
  if (begin === undefined) return undefined;
  const reached = new Set<string>();
  let front = waysOf(begin, verbs).map((exit) => ({ first: exit, at: exit.target }));
  while (front.length > 0) {
    const found = front.find(({ at }) => at === to);
    if (found !== undefined) return { step: begin, exit: found.first };
    for (const { at } of front) reached.add(at);
    const seen = new Set<string>();
    front = front.flatMap(({ first, at }) => {
      const next = steps.get(at);
      if (next === undefined) return [];
      return waysOf(next, verbs).flatMap(({ target }) => {
        if (reached.has(target) || seen.has(target)) return [];
        seen.add(target);
        return [{ first, at: target }];
      });
    });
  }
  return undefined;
}

/** Success exits first. `error` exits are skipped, because no action of the caller causes them. */
const waysOf = (step: GraphStep, verbs: GraphLanguage): GraphExit[] =>
  step.exits
    .filter(({ outcome, target }) => outcome !== 'error' && target !== '')
    .toSorted((one, other) => Number(isUnsuccessful(one, step, verbs)) - Number(isUnsuccessful(other, step, verbs)));

/** Negative outcomes that every verb can have. */
const GENERAL_OUTCOMES = ['hangup', 'limit'];

function isUnsuccessful({ outcome, covers }: GraphExit, { verb }: GraphStep, verbs: GraphLanguage): boolean {
  const table = verbs[verb]?.outcomeTable ?? {};
  return [outcome, ...covers].some((name) => {
    const { kind, success } = table[name] ?? {};
    return GENERAL_OUTCOMES.includes(name) || (kind !== undefined && !success);
  });
}

/** First possible action that can lead to this exit. Undefined if there is none. */
export function actionFor({ outcome, covers }: GraphExit, { actions = [] }: SimulationData): CallerAction | undefined {
  const wanted = [outcome, ...covers];
  const found = actions.find(({ leads_to: outcomes = [] }) => outcomes.some((name) => wanted.includes(name)));
  if (found?.mock) return { do: 'mock', mock: found.mock };
  return found?.acts && { do: 'acts', written: found.acts };
}

/** Number of this call among the calls to the same address by the same verb, from 1. */
export function nthOf(leg: string, { parties }: Pick<SimulationData, 'parties'>): number {
  const party = parties.find((each) => each.leg === leg);
  const same = parties.filter(({ name, verb }) => name === party?.name && verb === party?.verb);
  return Math.max(1, same.findIndex((each) => each.leg === leg) + 1);
}
