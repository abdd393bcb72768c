/** Text and graph of a flow for screens that do not edit it. Both are reloaded when the flow was saved elsewhere. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { GraphSource } from '../../../../language/flow/text/graph-source.ts';
import { readFlow } from '../flow-api.ts';
import { loadLanguage } from '../text/load-language.ts';

export interface FlowOnScreen {
  text: string;
  graph: FlowGraph;
  /** Number of versions loaded so far. */
  version: number;
}

export interface LoadedFlow {
  flow: ReadonlySignal<FlowOnScreen | undefined>;
  problem: ReadonlySignal<string | undefined>;
}

export function useFlow(name: string): LoadedFlow {
  const { flow, problem, load } = useMemo(() => loaderOf(name), [name]);
  useEffect(() => {
    void load();
    // Reloads when the page becomes visible: the flow may have been saved in another tab or editor.
    const again = (): void => {
      if (document.visibilityState === 'visible') void load();
    };
    document.addEventListener('visibilitychange', again);
    addEventListener('focus', again);
    return () => {
      document.removeEventListener('visibilitychange', again);
      removeEventListener('focus', again);
    };
  }, [name]);
  return { flow, problem };
}

function loaderOf(name: string) {
  const flow = signal<FlowOnScreen | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  let source: GraphSource | undefined;
  return {
    flow,
    problem,
    async load(): Promise<void> {
      try {
        source ??= new GraphSource({ verbs: (await loadLanguage()).verbs });
        const { text } = await readFlow(name);
        if (text === flow.value?.text) return;
        flow.value = { text, graph: source.read(text).graph, version: (flow.value?.version ?? 0) + 1 };
        problem.value = undefined;
      } catch (error) {
        problem.value = error instanceof Error ? error.message : String(error);
      }
    },
  };
}
