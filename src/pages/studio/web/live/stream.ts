/**
 * Event stream of the service, read with `fetch`. Reconnects after a failure and resumes from the last event. `sse.ts`
 * parses it; `live-store.ts` opens one for the whole page.
 *
 * Invariants
 * - after a failure it resumes with `Last-Event-ID`: the service sends the missed events, or `reset`;
 * - a stream without heartbeat is treated as failed. The delay between attempts grows; it ends early when the page
 * becomes visible.
 */
import type { Json } from '../../../../base/core/json.ts';
import { ServiceError, send } from '../api.ts';
import { EventStreamReader } from './sse.ts';

export type StreamState = 'connecting' | 'live' | 'broken';

interface StreamCallbacks {
  onEvent(event: string, data: Json): void;
  onState(state: StreamState): void;
}

/** The service sends a heartbeat every 15 s. */
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

/** Returns a function that closes the stream. */
export function openStream(path: string, callbacks: StreamCallbacks): () => void {
  const over = new AbortController();
  void keepReading(path, callbacks, over.signal);
  return () => over.abort();
}

async function keepReading(path: string, callbacks: StreamCallbacks, over: AbortSignal): Promise<void> {
  let lastId = '';
  let waitMs = FIRST_WAIT_MS;
  while (!over.aborted) {
    const reader = new EventStreamReader();
    callbacks.onState('connecting');
    try {
      await readOnce(path, lastId, reader, over, {
        ...callbacks,
        onState(state) {
          waitMs = FIRST_WAIT_MS;
          callbacks.onState(state);
        },
      });
    } catch (error) {
      // Signed out or not permitted: a retry would fail again.
      if (error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        callbacks.onState('broken');
        return;
      }
    }
    lastId = reader.lastId || lastId;
    if (over.aborted) return;
    callbacks.onState('broken');
    await pause(reader.retryMs ?? waitMs, over);
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
  }
}

async function readOnce(
  path: string,
  lastId: string,
  reader: EventStreamReader,
  over: AbortSignal,
  { onEvent, onState }: StreamCallbacks,
): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectMore = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENT_MS);
  };
  try {
    expectMore();
    const response = await send(path, {
      headers: { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
      signal: AbortSignal.any([over, silence.signal]),
    });
    onState('live');
    const pieces = response.body!.pipeThrough(
      new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>,
    );
    for await (const piece of pieces) {
      expectMore();
      for (const { event, data } of reader.read(piece)) onEvent(event, jsonIn(data));
    }
  } finally {
    clearTimeout(timer);
  }
}

function jsonIn(data: string): Json {
  try {
    return JSON.parse(data) as Json;
  } catch {
    return null;
  }
}

/** Waits until the time has passed, the page becomes visible or the stream is closed. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', done);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener('visibilitychange', done);
    over.addEventListener('abort', done);
  });
}
