/**
 * Hub targets: of many edges to one step only that of the nearest step is drawn as a line, and of very many none. The
 * other exits are chips with the name of the target.
 */
import type { GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import type { Walk } from './cycles.ts';

/** From `many` incoming edges, only the nearest is a line; from `crowd`, none is. */
const LIMITS = { small: { many: 5, crowd: 9 }, big: { many: 4, crowd: 8 } } as const;

/** Exits that become chips because of the number of edges to their target. */
export function crowdedExits(
  steps: ReadonlyMap<string, GraphStep>,
  { order, back }: Walk,
  isDrawn: (exit: GraphExit) => boolean,
  isSmall: boolean,
): Set<GraphExit> {
  const ways = new Map<string, { from: string; exit: GraphExit; to: string }[]>();
  const outOf = new Map<string, { to: string }[]>();
  for (const from of order) {
    for (const exit of steps.get(from)!.exits) {
      if (!isDrawn(exit) || back.has(exit)) continue;
      const way = { from, exit, to: exit.target };
      append(ways, exit.target, way);
      append(outOf, from, way);
    }
  }
  const { many, crowd } = isSmall ? LIMITS.small : LIMITS.big;
  const depth = depthsOf(order, ways, outOf);
  const crowded = new Set<GraphExit>();
  for (const into of ways.values()) {
    if (into.length < many) continue;
    const deepest = Math.max(...into.map(({ from }) => depth.get(from)!));
    const nearest = into.length < crowd ? into.find(({ from }) => depth.get(from) === deepest) : undefined;
    for (const way of into) if (way !== nearest) crowded.add(way.exit);
  }
  return crowded;
}

/** Length of the longest path to each step, without back edges. */
export function depthsOf(
  order: readonly string[],
  into: ReadonlyMap<string, readonly unknown[]>,
  outOf: ReadonlyMap<string, readonly { to: string }[]>,
): Map<string, number> {
  const depth = new Map(order.map((name) => [name, 0]));
  const waiting = new Map(order.map((name) => [name, into.get(name)?.length ?? 0]));
  const ready = order.filter((name) => waiting.get(name) === 0);
  // The list grows during the iteration.
  for (const name of ready) {
    for (const { to } of outOf.get(name) ?? []) {
      depth.set(to, Math.max(depth.get(to)!, depth.get(name)! + 1));
      waiting.set(to, waiting.get(to)! - 1);
      if (waiting.get(to) === 0) ready.push(to);
    }
  }
  return depth;
}

export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
