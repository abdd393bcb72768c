/** Sets of steps with one way in: the closure of a selection, and the steps that only one step leads to. */
import type { FlowValues } from './step-values.ts';

/** Steps that are entered from outside of the flow's steps: its start, and the targets of events. */
const outerEntries = ({ graph }: FlowValues): ReadonlySet<string> =>
  new Set([...(graph.start === undefined ? [] : [graph.start]), ...Object.values(graph.events)]);

/** Steps of the selection that something outside of it leads to. */
export function entriesOf(flow: FlowValues, selected: ReadonlySet<string>): string[] {
  const found = new Set([...outerEntries(flow)].filter((name) => selected.has(name)));
  for (const { name, ways } of flow.steps.values()) {
    if (selected.has(name)) continue;
    for (const { target } of ways) if (selected.has(target)) found.add(target);
  }
  return [...selected].filter((name) => found.has(name));
}

/** Smallest set of steps that contains the selection and has one way in. Undefined if there is none. */
export function closureOf(flow: FlowValues, selected: ReadonlySet<string>): ReadonlySet<string> | undefined {
  const sources = new Map<string, string[]>();
  for (const { name, ways } of flow.steps.values())
    for (const { target } of ways) sources.set(target, [...(sources.get(target) ?? []), name]);
  const outer = outerEntries(flow);
  const closures = [...flow.steps.keys()].flatMap((entry) => {
    const closed = new Set([...selected, entry]);
    const queue = [...selected].filter((name) => name !== entry);
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (outer.has(name)) return [];
      for (const source of sources.get(name) ?? []) {
        if (closed.has(source)) continue;
        closed.add(source);
        queue.push(source);
      }
    }
    return [closed];
  });
  return closures.toSorted((one, other) => one.size - other.size)[0];
}

/** The step, and all steps that are reached through it alone. */
export function reachedOnlyThrough(flow: FlowValues, step: string): ReadonlySet<string> {
  const others = reachable(flow, outerEntries(flow), step);
  const inside = reachable(flow, [step]);
  return new Set([step, ...[...inside].filter((name) => !others.has(name))]);
}

/** Steps that are reached from these, these included. `without`: a step that is not passed. */
export function reachable({ steps }: FlowValues, from: Iterable<string>, without?: string): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...from].filter((name) => name !== without);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || !steps.has(name)) continue;
    found.add(name);
    for (const { target } of steps.get(name)!.ways) if (target !== without) queue.push(target);
  }
  return found;
}
