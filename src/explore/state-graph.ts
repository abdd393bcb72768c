/**
 * The states of a flow's calls and what leads from one to the next, as far as they were explored. Says where no way leads to
 * an end, and where the same goes round for ever. Neighbour: `findings.ts` makes findings of it. Pure.
 */
import type { Choice, ChoiceKind } from './choice.ts';
import type { Stop } from './play-choices.ts';

/** Where an edge leads that does not lead to a state. */
export const ENDED = '$ended';
/** The caller is gone, or nothing more happens. */
export const OVER = '$over';

export interface State<Node> {
  key: string;
  /** The first way to it. */
  node: Node;
  stop: Stop;
  step: string;
  flow: string;
  edges: Edge[];
  /** The caller waits in a queue. */
  isQueued: boolean;
  /** Its edges were not all tried. */
  isOpen: boolean;
}

export interface Edge {
  choice: Choice;
  to: string;
}

/** Others may end them: nobody is trapped there. */
const WITH_OTHERS = ['conference', 'join_room', 'wait_for'];

/** States from which nothing but a hang-up of the caller leads to an end, those first that are entered from elsewhere. */
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
  isOpen || (stop.kind === 'turn' && stop.visits.some(({ verb }) => WITH_OTHERS.includes(verb)));

export interface Round<Node> {
  from: State<Node>;
  choices: Choice[];
}

/**
 * Rounds of these choices alone, with whatever the outside answers: a shortest one for each group of states that lead to each
 * other. Agents who do not answer, and what is heard meanwhile, are not a round: that is what a queue is for.
 */
export function roundsIn<Node>(states: ReadonlyMap<string, State<Node>>, kinds: readonly ChoiceKind[]): Round<Node>[] {
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
): Choice[] | undefined {
  const ways = new Map<string, Choice[]>();
  const queue: [key: string, way: Choice[]][] = [[from.key, []]];
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
