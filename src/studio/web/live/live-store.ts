/**
 * The live calls of the project, for all parts of the page that show them: one stream, open while somebody looks.
 * Neighbours: `stream.ts`, `live-calls.ts`.
 */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Json, project, request } from '../api.ts';
import { callRowOf } from '../calls/call-row.ts';
import { applyEvent, type LiveCalls, NO_CALLS, withListed } from './live-calls.ts';
import { openStream, type StreamState } from './stream.ts';

export const live = signal<LiveCalls>(NO_CALLS);
export const streamState = signal<StreamState>('connecting');

type Listener = (event: string, data: Json) => void;
const listeners = new Set<Listener>();
let watchers = 0;
let end: (() => void) | undefined;

/** Each event, after the calls were changed by it. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the stream open while the component is there. */
export function useLiveCalls(): void {
  useEffect(() => {
    watchers += 1;
    if (watchers === 1) end = watch();
    return () => {
      watchers -= 1;
      // The next screen may want it at once.
      setTimeout(() => {
        if (watchers > 0) return;
        end?.();
        end = undefined;
      }, 0);
    };
  }, []);
}

/** Another project has other calls. */
function watch(): () => void {
  return effect(() => {
    void project.value;
    live.value = NO_CALLS;
    const isOver = { current: false };
    const close = openStream('/voice/v1/events', {
      onEvent(event, data) {
        live.value = applyEvent(live.peek(), event, data);
        if (event === 'reset') void readLists(isOver);
        for (const listener of listeners) listener(event, data);
      },
      onState(state) {
        streamState.value = state;
      },
    });
    return () => {
      isOver.current = true;
      close();
    };
  });
}

const PAGE_SIZE = 200;

/** What went on before the stream began: the calls, and where each of them is. */
async function readLists(isOver: { readonly current: boolean }): Promise<void> {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ state: 'live', limit: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const page = await request<{ calls: Record<string, Json>[]; next?: string } & Record<string, Json>>(
      `/voice/v1/call?${query}`,
    ).catch(() => undefined);
    if (page === undefined || isOver.current) return;
    live.value = withListed(live.peek(), page.calls.map(callRowOf));
    cursor = page.next;
  } while (cursor !== undefined);
}
