/**
 * Back edges, found by depth-first search from the start. Exits are visited in text order, so that small edits change
 * little.
 */
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';

export interface Walk {
  /** All steps: first those reachable from the start, then those reachable from events, then the rest. */
  order: string[];
  /** Exits that lead back to a step on the current path. */
  back: ReadonlySet<GraphExit>;
}

export function walk(
  graph: FlowGraph,
  steps: ReadonlyMap<string, GraphStep>,
  isDrawn: (exit: GraphExit) => boolean,
): Walk {
  const order: string[] = [];
  const back = new Set<GraphExit>();
  const state = new Map<string, 'on the way' | 'left'>();

  const visit = (root: string): void => {
    if (state.has(root) || !steps.has(root)) return;
    const enter = (name: string) => {
      state.set(name, 'on the way');
      order.push(name);
      return { step: steps.get(name)!, at: 0 };
    };
    const way = [enter(root)];
    while (way.length > 0) {
      const top = way.at(-1)!;
      const exit = top.step.exits[top.at++];
      if (exit === undefined) {
        state.set(top.step.name, 'left');
        way.pop();
      } else if (isDrawn(exit)) {
        const seen = state.get(exit.target);
        if (seen === 'on the way') back.add(exit);
        if (seen === undefined) way.push(enter(exit.target));
      }
    }
  };

  if (graph.start !== undefined) visit(graph.start);
  for (const target of Object.values(graph.events)) visit(target);
  for (const { name } of graph.steps) visit(name);
  return { order, back };
}
