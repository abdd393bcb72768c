/**
 * Groups of steps that fold to one block: the steps of a section, steps whose labels share the first word, or a menu
 * with the steps that only it leads to (its subtree in the dominator tree). Folding creates a smaller graph in which
 * the block is a step, so the layout does not know of folds.
 */
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { exitId, type WayIn } from './drawing.ts';
import { append } from './hub-targets.ts';
import { waysInto } from './ways-in.ts';

export interface Fold {
  /** `label …` or `step …`. Stable while the text is edited. */
  id: string;
  title: string;
  /** Entry step of the group, which lines into the block lead to. */
  head: string;
  members: readonly string[];
}

/** A step that represents other steps. */
interface Block extends GraphStep {
  members: readonly string[];
  waysIn: readonly WayIn[];
}

export const membersOf = (step: GraphStep): readonly string[] | undefined => (step as Partial<Block>).members;

/** Minimum size of a group. */
const SMALLEST = 3;
/** Minimum size of a section, which the author has made. */
const SMALLEST_SECTION = 2;

/** All foldable groups, those of labels first. Groups can be nested. */
export function foldsOf(graph: FlowGraph): Fold[] {
  return [...foldsByLabel(graph), ...foldsBelowMenus(graph)];
}

/** True if both graphs have the same groups: they differ at most in words, such as those of a prompt. */
export function hasSameFolds(one: FlowGraph, other: FlowGraph): boolean {
  if (one === other) return true;
  const rest = ({ start, events }: FlowGraph): string => JSON.stringify([start, events]);
  return (
    one.steps.length === other.steps.length &&
    one.steps.every((step, index) => isAlikeInGroups(step, other.steps[index]!)) &&
    rest(one) === rest(other)
  );
}

const isAlikeInGroups = (one: GraphStep, other: GraphStep): boolean =>
  one === other ||
  (one.name === other.name &&
    one.verb === other.verb &&
    one.label === other.label &&
    one.section === other.section &&
    one.exits.length === other.exits.length &&
    one.exits.every(({ target, own }, index) => {
      const beside = other.exits[index]!;
      return target === beside.target && own === beside.own;
    }));

/** The smallest groups that do not overlap, for folding a big flow at once. */
export function outermostSmall(folds: readonly Fold[]): Fold[] {
  const taken = new Set<string>();
  return folds
    .toSorted(
      (one, other) =>
        Number(other.id.startsWith('label')) - Number(one.id.startsWith('label')) ||
        one.members.length - other.members.length,
    )
    .filter(({ members }) => {
      if (members.some((name) => taken.has(name))) return false;
      for (const name of members) taken.add(name);
      return true;
    });
}

/** From this number of steps on, a flow opens as an overview. */
export const OVERVIEW_FROM = 150;
/** Number of blocks and steps at which an overview aims. */
const OVERVIEW_BLOCKS = 40;

/** Groups to fold so that a big flow is an overview. Groups within a folded one are folded, too. */
export function overviewOf(graph: FlowGraph, folds: readonly Fold[]): Fold[] {
  const chosen = outermostSmall(folds);
  for (const larger of folds.toSorted((one, other) => one.members.length - other.members.length)) {
    if (fold(graph, chosen).steps.length <= OVERVIEW_BLOCKS) break;
    const inside = new Set(larger.members);
    const held = chosen.filter(({ id, members }) => id !== larger.id && members.every((name) => inside.has(name)));
    if (held.length > 1 && !inside.has(graph.start ?? '')) chosen.push(larger);
  }
  return chosen;
}

/** Steps of a group alone, with their exits to the rest of the flow. */
export function insideOf(graph: FlowGraph, { head, members }: Fold): FlowGraph {
  const names = new Set(members);
  return {
    ...graph,
    start: head,
    events: Object.fromEntries(Object.entries(graph.events).filter(([, target]) => names.has(target))),
    steps: graph.steps.filter(({ name }) => names.has(name)),
  };
}

function foldsByLabel(graph: FlowGraph): Fold[] {
  const groups = new Map<string, string[]>();
  const sections = new Set(graph.steps.flatMap(({ section }) => section?.trim() ?? []));
  for (const { name, label, section } of graph.steps) {
    const title = section?.trim() ?? /^([^/:]+)[/:]/.exec(label ?? '')?.[1]?.trim();
    if (title) groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  return [...groups]
    .filter(([title, members]) => members.length >= (sections.has(title) ? SMALLEST_SECTION : SMALLEST))
    .map(([title, members]) => ({ id: `label ${title}`, title, head: members[0]!, members }));
}

function foldsBelowMenus(graph: FlowGraph): Fold[] {
  const subtrees = dominatedBy(graph);
  const into = new Map<string, GraphStep[]>();
  for (const step of graph.steps) for (const { target, own } of step.exits) if (own) append(into, target, step);
  const isEntered = (name: string): boolean => name === graph.start || Object.values(graph.events).includes(name);
  return graph.steps.flatMap(({ name, verb }) => {
    const members = [...(subtrees.get(name) ?? [])];
    if (verb !== 'menu' || members.length < SMALLEST || name === graph.start) return [];
    // Steps that only lead here, such as a greeting, belong to the group.
    let head = name;
    for (;;) {
      const outside = new Set(into.get(head)?.filter((step) => !members.includes(step.name)));
      const [before] = outside;
      const isGreeting = before?.exits.filter(({ own }) => own).length === 1;
      if (outside.size !== 1 || !isGreeting || isEntered(before!.name) || isEntered(head)) break;
      head = before!.name;
      members.unshift(head);
    }
    return [{ id: `step ${name}`, title: name, head, members }];
  });
}

/** Dominator subtrees: for each reachable step, the step and all steps that only it leads to. */
export function dominatedBy(graph: FlowGraph): Map<string, string[]> {
  const at = new Map(graph.steps.map(({ name }, index) => [name, index]));
  const count = graph.steps.length;
  const root = count;
  const outOf: number[][] = graph.steps.map(({ exits }) => exits.flatMap(({ target }) => at.get(target) ?? []));
  outOf.push([graph.start ?? '', ...Object.values(graph.events)].flatMap((name) => at.get(name) ?? []));

  const postorder = postorderFrom(root, outOf);
  const number = new Int32Array(count + 1).fill(-1);
  for (const [index, node] of postorder.entries()) number[node] = index;
  const into: number[][] = outOf.map(() => []);
  for (const from of postorder) for (const to of outOf[from]!) into[to]!.push(from);

  // Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
  const parent = new Int32Array(count + 1).fill(-1);
  parent[root] = root;
  const common = (one: number, other: number): number => {
    while (one !== other) {
      while (number[one]! < number[other]!) one = parent[one]!;
      while (number[other]! < number[one]!) other = parent[other]!;
    }
    return one;
  };
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const node of postorder.toReversed()) {
      if (node === root) continue;
      const known = into[node]!.filter((from) => parent[from]! >= 0);
      const dominator = known.reduce(common);
      if (parent[node] !== dominator) {
        parent[node] = dominator;
        isChanged = true;
      }
    }
  }
  const subtrees = new Map<string, string[]>();
  for (const [index, { name }] of graph.steps.entries()) {
    if (number[index]! < 0) continue;
    for (let node = index; node !== root; node = parent[node]!) {
      const over = graph.steps[node]!.name;
      append(subtrees, over, name);
    }
  }
  return subtrees;
}

function postorderFrom(root: number, outOf: readonly number[][]): number[] {
  const done: number[] = [];
  const seen = new Set([root]);
  const way = [{ node: root, at: 0 }];
  while (way.length > 0) {
    const top = way.at(-1)!;
    const next = outOf[top.node]![top.at++];
    if (next === undefined) {
      done.push(top.node);
      way.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      way.push({ node: next, at: 0 });
    }
  }
  return done;
}

/**
 * Cache of the steps and blocks of the last folded graph. A block is made again only if one of its steps is another object, or other routes lead into it.
 */
export class KnownBlocks {
  #folds: readonly Fold[] | undefined;
  #made = new Map<string, { from: readonly unknown[]; step: GraphStep }>();

  begin(folds: readonly Fold[]): void {
    if (this.#folds !== folds) this.#made = new Map();
    this.#folds = folds;
  }

  step(name: string, from: readonly unknown[], make: () => GraphStep): GraphStep {
    const known = this.#made.get(name);
    if (known?.from.every((each, index) => each === from[index])) return known.step;
    const step = make();
    this.#made.set(name, { from, step });
    return step;
  }
}

/** Graph with blocks in place of the groups. Of nested groups the outer one is used. */
export function fold(graph: FlowGraph, folds: readonly Fold[], known = new KnownBlocks()): FlowGraph {
  known.begin(folds);
  const blockOf = new Map<string, Fold>();
  for (const each of folds.toSorted((one, other) => one.members.length - other.members.length)) {
    for (const name of each.members) blockOf.set(name, each);
  }
  if (blockOf.size === 0) return graph;
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const placeOf = (name: string): string => blockOf.get(name)?.head ?? name;
  const waysIn = waysInto(graph, blockOf);
  const made = new Set<Fold>();
  return {
    ...graph,
    ...(graph.start !== undefined && { start: placeOf(graph.start) }),
    events: Object.fromEntries(Object.entries(graph.events).map(([event, target]) => [event, placeOf(target)])),
    steps: graph.steps.flatMap((step): GraphStep[] => {
      const block = blockOf.get(step.name);
      if (block === undefined) {
        const exits = () => step.exits.map((exit) => ({ ...exit, target: placeOf(exit.target) }));
        return [known.step(step.name, [step], () => ({ ...step, exits: exits() }))];
      }
      if (made.has(block)) return [];
      made.add(block);
      const ways = waysIn.get(block) ?? [];
      const from = [steps.get(block.title), ...block.members.map((name) => steps.get(name)), JSON.stringify(ways)];
      return [known.step(block.head, from, () => blockStep(block, steps, placeOf, ways))];
    }),
  };
}

function blockStep(
  block: Fold,
  steps: ReadonlyMap<string, GraphStep>,
  placeOf: (name: string) => string,
  waysIn: readonly WayIn[],
): Block {
  const head = steps.get(block.head)!;
  // The block of a menu group looks like the menu.
  const { verb, group } = steps.get(block.title) ?? head;
  const exits = new Map<string, GraphExit>();
  let own = 0;
  for (const name of block.members) {
    for (const { outcome, covers, target, own: isOwn } of steps.get(name)?.exits ?? []) {
      const to = placeOf(target);
      if (!isOwn || to === block.head || to === '') continue;
      own += 1;
      const exit = exits.get(to) ?? { outcome: `to ${to}`, target: to, own: true, covers: [], label: to };
      // The exits of a block cover exit ids, because several of its steps can have the same outcome.
      exit.covers.push(...(covers.length > 0 ? covers : [outcome]).map((each) => exitId(name, each)));
      exits.set(to, exit);
    }
  }
  return {
    name: block.head,
    verb,
    group,
    about: head.about,
    badges: [
      t('{count, plural, one {# step} other {# steps}}', { count: block.members.length }),
      ...(own > 0 ? [t('{count, plural, one {# way} other {# ways}} out', { count: own })] : []),
    ],
    sensitive: block.members.some((name) => steps.get(name)?.sensitive),
    line: head.line,
    label: block.title,
    exits: [...exits.values()],
    members: block.members,
    waysIn,
  };
}
