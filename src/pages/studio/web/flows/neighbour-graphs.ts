/** Graphs of other flows, loaded when a step that runs them is first drawn. */
import { signal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { request } from '../api.ts';

export function neighbourGraphs(flows: readonly string[]): { get(name: string): FlowGraph | undefined } {
  const graphs = signal<ReadonlyMap<string, FlowGraph>>(new Map());
  const asked = new Set<string>();
  return {
    get(name) {
      if (!asked.has(name) && flows.includes(name.split('/', 1)[0]!)) {
        asked.add(name);
        request<FlowGraph>(`/voice/v1/flow/${encodeURIComponent(name)}/graph`).then(
          (graph) => {
            graphs.value = new Map(graphs.value).set(name, graph);
          },
          // An invalid flow has no graph.
          () => undefined,
        );
      }
      return graphs.value.get(name);
    },
  };
}
