/** Steps that cannot be reached any more if the call ends at an exit. Pure. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { ExitRef } from '../text/edit.ts';

export function lostSteps(graph: FlowGraph, at: ExitRef): string[] {
  const before = reached(graph, undefined);
  const after = reached(graph, at);
  return graph.steps.flatMap(({ name }) => (before.has(name) && !after.has(name) ? [name] : []));
}

function reached({ steps, start, events, defaults }: FlowGraph, without: ExitRef | undefined): Set<string> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const first = start ?? steps[0]?.name;
  const seen = new Set([...(first === undefined ? [] : [first]), ...Object.values(events), ...Object.values(defaults)]);
  for (const name of seen) {
    for (const { outcome, target } of byName.get(name)?.exits ?? []) {
      if (name !== without?.step || outcome !== without.outcome) seen.add(target);
    }
  }
  return seen;
}
