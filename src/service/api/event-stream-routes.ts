/** `GET /voice/v1/events`: live events of a project's calls as server-sent events. */
import type { ReaderOptions } from '../observers/live/feed.ts';
import { EVENT_FILTERS, readQuery } from './query-parameters.ts';
import { stateOf } from './request-context.ts';
import { serveEvents } from './server-sent-events.ts';
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

const EVENTS = voiceRoute('Calls', 'GET', '/voice/v1/events', {
  summary:
    'streams live events of calls as server-sent events `call`, `step`, `ended` and `broadcast` ([live events](events.md))',
  query: EVENT_FILTERS,
  response: { status: 200, mediaType: 'text/event-stream' },
  errors: ['bad_request'],
  handle({ projectId, url, res }, { calls, live }) {
    const options = readQuery<ReaderOptions>(url, EVENT_FILTERS);
    const lastId = res.req.get('last-event-id');
    const isNode = stateOf(res).forwarded !== undefined;
    return serveEvents(res, calls.clock, (reader) =>
      live.open(projectId, reader, { ...options, isNode, ...(lastId === undefined ? {} : { lastId }) }),
    );
  },
});

export const EVENT_STREAM_ROUTES: readonly VoiceRoute[] = [EVENTS];
