/**
 * Ranks of the calls of a best-first search: the number of the caller's actions, and the distance in the graph from the
 * step to which an action leads to the target. `test-search.ts` plays the calls.
 */
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { SearchOptions } from '../explore/search.ts';
import { framesOf } from '../testkit/journal-frames.ts';

export interface SearchTarget {
  step: string;
  /** The step must end with one of these outcomes; if absent, it must only be entered. */
  outcomes?: readonly string[] | undefined;
}

/** Weight of the distance to the target, relative to one action. */
const CLOSER = 3;
const UNREACHABLE = 50;
/** Weight of each entry of the target step if its outcome `limit` is wanted. */
const AGAIN = 30;

type RankAfter = SearchOptions['rankAfter'] & {};

/** `other`: rank of first calls in other setups, which are played after the calls that come closer to the target. */
export function ranksFor(
  target: SearchTarget,
  flow: CompiledFlow,
  flows: SearchOptions['flows'],
): { other: number; rankAfter: RankAfter } {
  const distances = distancesTo(target.step, flow);
  const distanceOf = (step: string): number => distances.get(step) ?? UNREACHABLE;
  const rankAfter: RankAfter = ({ choices }, { journal }) => {
    const isTarget = (entry: JournalEntry): boolean =>
      entry.kind === 'entered' && entry.flow === flow.name && entry.step === target.step;
    const again = target.outcomes?.includes('limit') ? AGAIN * journal.filter(isTarget).length : 0;
    const acts = choices.filter(({ kind }) => kind !== 'reply' && kind !== 'party').length;
    const [{ step = '' } = {}, ...inner] = framesOf(journal, flows);
    /** Distance after the step was left by an outcome. */
    const after = (outcome: string): number | undefined => {
      if (step === target.step && target.outcomes?.includes(outcome)) return -1;
      const next = flow.machine.next(step, outcome);
      return next === undefined ? undefined : distanceOf(next) + 1;
    };
    return ({ leadsTo = [], to }, index) => {
      const outcomes = inner.length > 0 ? [] : leadsTo;
      const known = to === undefined ? outcomes.flatMap((outcome) => after(outcome) ?? []) : [distanceOf(to) + 1];
      const closest = known.length === 0 ? distanceOf(step) + 1 / CLOSER : Math.min(...known);
      // An action that leads to the target is repeated before the others are tried.
      return (closest < 0 ? 0 : acts) + index / 100 + CLOSER * closest - again;
    };
  };
  return { other: 1 + CLOSER * distanceOf(flow.start), rankAfter };
}

/** Distance of each step from the target, in edges of the graph. */
function distancesTo(target: string, { steps, events }: CompiledFlow): ReadonlyMap<string, number> {
  const distances = new Map([[target, 0]]);
  const interrupts = Object.values(events);
  for (let distance = 1, grew = true; grew; distance++) {
    grew = false;
    for (const [name, { exits }] of steps) {
      if (distances.has(name)) continue;
      const isNear = [...Object.values(exits), ...interrupts].some((to) => distances.get(to) === distance - 1);
      if (!isNear) continue;
      distances.set(name, distance);
      grew = true;
    }
  }
  return distances;
}
