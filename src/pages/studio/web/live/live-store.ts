/**
 * Live calls of the project, shared by all components: one event stream, open while a component uses it. Uses
 * `stream.ts` and `live-calls.ts`.
 */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { project, request } from '../api.ts';
import { callRowOf } from '../call-rows/call-row.ts';
import { applyEvent, type LiveCallList, NO_CALLS, withListed } from './live-calls.ts';
import { openStream, type StreamState } from './stream.ts';

export const live = signal<LiveCallList>(NO_CALLS);
export const streamState = signal<StreamState>('connecting');

type Listener = (event: string, data: Json) => void;
const listeners = new Set<Listener>();
let watchers = 0;
let end: (() => void) | undefined;

/** Calls the listener for each event, after the state was updated. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the stream open while the component is mounted. */
export function useLiveCalls(): void {
  useEffect(() => {
    watchers += 1;
    if (watchers === 1) end = watch();
    return () => {
      watchers -= 1;
      // Closes later, because the next screen may use the stream.
      setTimeout(() => {
        if (watchers > 0) return;
        end?.();
        end = undefined;
      }, 0);
    };
  }, []);
}

/** Restarts the stream when the project changes. */
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

/** Loads the calls that started before the stream, with their current steps. */
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
