/** Checks the property `within`: how many keys and how much time a caller needs to reach a step. */
import { formatDuration, parseDuration } from '../../base/core/duration.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { momentsOf } from '../testkit/properties.ts';
import type { Expect } from '../testkit/scenario-form.ts';
import type { Action } from './actions/action.ts';
import type { Found } from './findings.ts';
import type { Played } from './play-choices.ts';

export interface Cost {
  keys: number;
  /** Time since the answer. */
  ms: number;
}

export interface ShortestPath<Node> {
  cost: Cost;
  node: Node;
}

interface Limit extends Cost {
  name: string;
  reaches: string;
  words: string;
  time: string | undefined;
}

/** Limits of all `within` properties; Infinity if a value is not limited. */
const limitsOf = ({ properties }: CompiledFlow): Limit[] =>
  Object.entries(properties).flatMap(([name, { within }]) => {
    if (!within) return [];
    const { reaches, keys = Number.POSITIVE_INFINITY, time } = within;
    const ms = time === undefined ? Number.POSITIVE_INFINITY : (parseDuration(time) ?? 0);
    const words = [...(within.keys === undefined ? [] : [`${keys} keys`]), ...(time === undefined ? [] : [time])];
    return [{ name, reaches, keys, ms, words: words.join(' and '), time }];
  });

const keyOf = (name: string): string => `property ${name}`;

/** True if the flow has a `within` property, so that a state is expanded again if it is reached at a lower cost. */
export const limitsPaths = (flow: CompiledFlow): boolean => limitsOf(flow).length > 0;

/** Keys and time used so far; the time is rounded up to whole seconds. */
export const costOf = ({ elapsedMs }: Played, choices: readonly Action[]): Cost => ({
  keys: keysOf(choices),
  ms: Math.ceil(elapsedMs / 1000) * 1000,
});

export const isNotShorter = (cost: Cost, known: readonly Cost[]): boolean =>
  known.some(({ keys, ms }) => keys <= cost.keys && ms <= cost.ms);

/** Records the call with the lowest cost for each property. */
export function recordPaths<Node extends { choices: readonly Action[] }>(
  flow: CompiledFlow,
  { journal, answeredMs }: Played,
  node: Node,
  shortest: Map<string, ShortestPath<Node>>,
): void {
  for (const limit of limitsOf(flow)) {
    const [moment] = momentsOf(limit.reaches, { flow, journal });
    if (moment === undefined) continue;
    const cost = { keys: keysOf(node.choices), ms: moment.atMs - answeredMs };
    const known = shortest.get(keyOf(limit.name));
    if (known === undefined || excess(cost, limit) < excess(known.cost, limit)) {
      shortest.set(keyOf(limit.name), { cost, node });
    }
  }
}

/** Ratio of the cost to the limit; at most 1 if the limits are kept. */
const excess = (cost: Cost, limit: Cost): number =>
  Math.max(cost.keys / limit.keys || 0, cost.ms / limit.ms || 0, cost.keys > limit.keys ? 1.001 : 0);

/** `isBounded`: the search was incomplete, so that a missing path is not a finding. */
export function* tooLongPaths<Node>(
  flow: CompiledFlow,
  shortest: ReadonlyMap<string, ShortestPath<Node>>,
  isBounded: boolean,
): Generator<Found & { keys: number }> {
  for (const limit of limitsOf(flow)) {
    const { name, reaches, words, time } = limit;
    const cost = shortest.get(keyOf(name))?.cost;
    if (cost === undefined ? isBounded : cost.keys <= limit.keys && cost.ms <= limit.ms) continue;
    const [step = '', ...outcome] = reaches.split('.');
    const there: Expect =
      outcome.length === 0 ? { visits: { [step]: 1 } } : { outcomes: { [step]: outcome.join('.') } };
    yield {
      ...{ kind: 'property', flow: flow.name, step, key: keyOf(name), keys: limit.keys },
      message: `the property "${name}" does not hold: ${words} should reach ${reaches}, and ${wayWords(cost, limit)}`,
      expect: time === undefined ? there : { reached: { [reaches]: time } },
    };
  }
}

function wayWords(cost: Cost | undefined, limit: Cost): string {
  if (cost === undefined) return 'no path leads there';
  const parts = [
    ...(cost.keys > limit.keys ? [`has ${cost.keys}`] : []),
    ...(cost.ms > limit.ms ? [`takes ${formatDuration(Math.ceil(cost.ms / 100) * 100)}`] : []),
  ];
  return `the shortest way there ${parts.join(' and ')}`;
}

/** Removes the caller's choices from the first key above the limit on; choices of other parties are kept. */
export function upToKeys(choices: readonly Action[], most: number): Action[] {
  let keys = 0;
  const at = choices.findIndex((choice) => {
    keys += keysOf([choice]);
    return keys > most;
  });
  return choices.filter(({ acts }, index) => at < 0 || index < at || acts === undefined);
}

const keysOf = (choices: readonly Action[]): number =>
  choices
    .flatMap(({ acts = [] }) => acts)
    .reduce((sum, act) => {
      const press = typeof act === 'object' ? act.press : undefined;
      return sum + (typeof press === 'string' ? press.length : (press?.digits.length ?? 0));
    }, 0);
