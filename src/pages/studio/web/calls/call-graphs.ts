/**
 * Loads the graphs for a call: the flow versions that the call ran, or the current ones. `call-path.ts` knows the
 * versions, `call-detail.tsx` draws the graphs.
 *
 * Invariant: the graph is the requested version, or `note` says that it is not.
 */
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request, type ServiceError } from '../api.ts';
import { tellError } from '../shell/messages.tsx';
import type { CallPath } from './call-path.ts';

/** Undefined while it is loading. */
type Found = FlowGraph | 'missing' | undefined;

export interface CallGraphs {
  /**
   * Graph of a flow in the version of the current moment, or in the current version. While it is loading, the previous
   * graph.
   */
  graph: FlowGraph | undefined;
  /** Reason why another version than the requested one is shown. */
  note: string | undefined;
  /** Graph of a flow drawn inside a step, chosen in the same manner. */
  flows(name: string): FlowGraph | undefined;
  /** Without `version`, reads the current version. */
  read(name: string, version?: string): Found;
  /** Reloads current versions, which may have changed. */
  refresh(): void;
}

export function useCallGraphs(path: CallPath, flow: string | undefined, isToday: boolean): CallGraphs {
  const found = useSignal<ReadonlyMap<string, FlowGraph | 'missing'>>(new Map());
  const asked = useMemo(() => new Set<string>(), []);
  const round = useSignal(0);
  const last = useRef<FlowGraph | undefined>(undefined);

  const read = (name: string, version?: string): Found => {
    const key = `${name} ${version ?? `today ${round.value}`}`;
    if (!asked.has(key)) {
      asked.add(key);
      void graphFrom(name, version).then((graph) => {
        found.value = new Map(found.value).set(key, graph);
      });
    }
    return found.value.get(key);
  };
  const readShown = (name: string): { graph: Found; note?: string } => {
    if (isToday) return { graph: read(name) };
    const version = path.paths.value.versionAt(path.index.value, name);
    if (version === undefined) {
      return {
        graph: read(name),
        note: t('The journal does not say which text of {name} ran: today’s is drawn.', { name }),
      };
    }
    const then = read(name, version);
    if (then !== 'missing') return { graph: then };
    return {
      graph: read(name),
      note: t('The text of {name} of then is not kept any more: today’s is drawn.', { name }),
    };
  };

  const shown = flow === undefined || path.journal.value.length === 0 ? undefined : readShown(flow);
  if (shown?.graph === 'missing') last.current = undefined;
  else last.current = shown?.graph ?? last.current;
  return {
    graph: last.current,
    note: shown?.graph === 'missing' ? t('There is no flow {flow} any more.', { flow: flow! }) : shown?.note,
    flows: useMemo(
      () => (name) => {
        const { graph } = readShown(name);
        return graph === 'missing' ? undefined : graph;
      },
      [isToday, found.value, round.value, path.paths.value],
    ),
    read,
    refresh: () => {
      round.value += 1;
    },
  };
}

async function graphFrom(name: string, version: string | undefined): Promise<FlowGraph | 'missing'> {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  try {
    return await request<FlowGraph>(`/voice/v1/flow/${encodeURIComponent(name)}/graph${query}`);
  } catch (error) {
    if ((error as ServiceError).status !== 404) tellError(error);
    return 'missing';
  }
}
