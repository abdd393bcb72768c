/**
 * The service's stream of events, read by `fetch`: connects again after a break, from the last event on. Neighbours: `sse.ts`
 * reads it, `live-store.ts` opens one for the whole page.
 *
 * Invariants
 *  - after a break it goes on by `Last-Event-ID`: the service sends what was missed, or `reset`;
 *  - a stream without a heartbeat is broken; waits between attempts grow, and end when the page comes back to sight.
 */
import { type Json, ServiceError, send } from '../api.ts';
import { EventStreamReader } from './sse.ts';

export type StreamState = 'connecting' | 'live' | 'broken';

interface StreamCallbacks {
  onEvent(event: string, data: Json): void;
  onState(state: StreamState): void;
}

/** The service sends something each 15 s. */
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The function that it returns ends the stream. */
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
      // Signed out, or not allowed: asking again would not help.
      if (error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        callbacks.onState('broken');
        return;
      }
    }
    lastId = reader.lastId || lastId;
    if (over.aborted) return;
    callbacks.onState('broken');
    await pause(reader.retryMs ?? waitMs, over);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
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

/** Until the time is over, the page is looked at again, or the stream is not wanted any more. */
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
