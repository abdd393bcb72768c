/**
 * Explored state graph of a flow: states and the choices that lead from one to the next. Finds states without a path to
 * an end, and endless loops; `findings.ts` reports them. Pure.
 */
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { Action, ActionKind } from './actions/action.ts';
import type { Stop } from './stop.ts';

/** Target of an edge that ends the call. */
export const ENDED = '$ended';
/** Target of an edge after which the caller has hung up or no further event occurs. */
export const OVER = '$over';

export interface State<Node> {
  key: string;
  /** First path to the state. */
  node: Node;
  stop: Stop;
  step: string;
  flow: string;
  edges: Edge[];
  /** True if the caller is waiting in a queue. */
  isQueued: boolean;
  /** True if some edges were not tried. */
  isOpen: boolean;
}

export interface Edge {
  choice: Action;
  to: string;
}

/** True for verbs that unsimulated parties or applications may end, so that their states are not traps. */
function withOthers(verb: string): boolean {
  const { listens, simulated, activity } = factsOf(verb);
  return listens === 'always' && simulated === undefined && activity !== 'queue';
}

/** Returns the states that only a hang-up of the caller can end, reduced to their entry states. */
export function trapsIn<Node>(states: ReadonlyMap<string, State<Node>>): State<Node>[] {
  const sources = new Map<string, string[]>();
  for (const { key, edges } of states.values()) {
    for (const { choice, to } of edges) {
      if (choice.kind === 'hang_up') continue;
      const known = sources.get(to);
      if (known) known.push(key);
      else sources.set(to, [key]);
    }
  }
  const queue = [ENDED, ...[...states.values()].filter(mayEnd).map(({ key }) => key)];
  const ending = new Set(queue);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    for (const source of sources.get(key) ?? []) {
      if (ending.has(source)) continue;
      ending.add(source);
      queue.push(source);
    }
  }
  const trapped = [...states.values()].filter(({ key }) => !ending.has(key));
  const isEntered = ({ key }: State<Node>): boolean => (sources.get(key) ?? []).every((source) => ending.has(source));
  const entries = trapped.filter(isEntered);
  return entries.length > 0 ? entries : trapped.slice(0, 1);
}

const mayEnd = <Node>({ stop, isOpen }: State<Node>): boolean =>
  isOpen || (stop.kind === 'turn' && stop.visits.some(({ verb }) => withOthers(verb)));

export interface Round<Node> {
  from: State<Node>;
  choices: Action[];
}

/**
 * Returns loops of choices of these kinds and of external responses: a shortest loop for each strongly connected group
 * of states. Waiting in a queue is not a loop.
 */
export function roundsIn<Node>(states: ReadonlyMap<string, State<Node>>, kinds: readonly ActionKind[]): Round<Node>[] {
  const next = ({ isQueued, edges }: State<Node>): Edge[] =>
    isQueued
      ? []
      : edges.filter(({ choice, to }) => [...kinds, 'reply', 'party'].includes(choice.kind) && states.has(to));
  const found: Round<Node>[] = [];
  const covered = new Set<string>();
  for (const state of states.values()) {
    if (covered.has(state.key)) continue;
    const choices = shortestRound(state, states, next);
    if (!choices) continue;
    found.push({ from: state, choices });
    for (const key of reachableFrom(state, states, next)) covered.add(key);
  }
  return found;
}

type Next<Node> = (state: State<Node>) => Edge[];

function shortestRound<Node>(
  from: State<Node>,
  states: ReadonlyMap<string, State<Node>>,
  next: Next<Node>,
): Action[] | undefined {
  const ways = new Map<string, Action[]>();
  const queue: [key: string, way: Action[]][] = [[from.key, []]];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const [key, way] = at;
    for (const { choice, to } of next(states.get(key)!)) {
      if (to === from.key) return [...way, choice];
      if (ways.has(to)) continue;
      ways.set(to, [...way, choice]);
      queue.push([to, [...way, choice]]);
    }
  }
  return undefined;
}

function reachableFrom<Node>(
  from: State<Node>,
  states: ReadonlyMap<string, State<Node>>,
  next: Next<Node>,
): Set<string> {
  const found = new Set([from.key]);
  for (const key of found) for (const { to } of next(states.get(key)!)) found.add(to);
  return found;
}
