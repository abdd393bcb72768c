/** `GET /voice/v1/events`: live events of a project's calls as server-sent events. */
import type { Response } from 'express';
import type { LiveReader, ReaderOptions } from '../observers/live/feed.ts';
import { ApiError } from './api-error.ts';
import { EVENT_FILTERS, readQuery } from './query-parameters.ts';
import { stateOf } from './request-context.ts';
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

/**
 * Maximum duration of a stream. The client then reconnects, authenticates again and resumes, so that a revoked key
 * loses access.
 */
const MAX_MS = 15 * 60_000;

const EVENTS = voiceRoute('Calls', 'GET', '/voice/v1/events', {
  summary:
    'streams live events of calls as server-sent events `call`, `step`, `ended` and `broadcast` ([live events](events.md))',
  query: EVENT_FILTERS,
  response: { status: 200, mediaType: 'text/event-stream' },
  errors: ['bad_request'],
  handle({ projectId, url, res }, { calls, live }) {
    const options = readQuery<ReaderOptions>(url, EVENT_FILTERS);
    const lastId = res.req.get('last-event-id');
    res.type('text/event-stream').set({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    if (res.req.method === 'HEAD') return void res.end();
    const reader = readerOf(res);
    const isNode = stateOf(res).forwarded !== undefined;
    const close = live.open(projectId, reader, { ...options, isNode, ...(lastId === undefined ? {} : { lastId }) });
    if (!close) {
      res.removeHeader('content-type');
      throw new ApiError('too_many_requests', 'too many event streams are open', {
        headers: { 'retry-after': '5' },
      });
    }
    const end = calls.clock.after(MAX_MS, () => reader.end());
    res.once('close', () => {
      end.cancel();
      close();
    });
    return undefined;
  },
});

const readerOf = (res: Response): LiveReader => ({
  send: (piece) => void res.write(piece),
  get waitingBytes() {
    return res.writableLength;
  },
  // Destroys the connection if data is still buffered, because the client does not read it.
  end: () => void (res.writableLength > 0 ? res.destroy() : res.end()),
});

export const EVENT_STREAM_ROUTES: readonly VoiceRoute[] = [EVENTS];
