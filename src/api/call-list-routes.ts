/** Call records (CDR), `GET /voice/v1/call`: the calls of a project, the newest first, in pages. */
import { type RequestHandler, Router } from 'express';
import { type CallFilter, listCalls } from '../calls/list-calls.ts';
import { defined, type JsonObject } from '../core/json.ts';
import type { CallRecord, CallState, Direction } from '../runtime/journal.ts';
import { ApiError } from './api-error.ts';
import { number, PAGE, type PageQuery, type QueryParser, readQuery, text, word } from './query-parameters.ts';
import { signedInProjectOf } from './request-context.ts';
import { iso, momentBody } from './response-bodies.ts';
import { timestampOf, type VoiceParts } from './route-parts.ts';

const STATES: readonly CallState[] = [
  'initiated',
  'incomingcall',
  'ringing',
  'connected',
  'bridging',
  'bridged',
  'bridge_disconnected',
  'disconnected',
  'failed',
];

interface ListQuery extends PageQuery {
  direction?: Direction;
  state?: CallState;
  from?: string;
  to?: string;
  flow?: string;
  owner_ref?: string;
  app_instance?: string;
  started_from?: number;
  started_to?: number;
}

const moment: QueryParser<number> = {
  parse(written) {
    const atMs = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(written.trim()) ? Date.parse(written.trim()) : Number.NaN;
    return Number.isNaN(atMs) ? undefined : Math.max(0, atMs);
  },
  expected: 'a moment such as 2026-03-02T09:30:00Z',
};

const LIST = {
  readers: {
    ...PAGE.readers,
    direction: { ...word('inbound', 'outbound'), must: 'Inbound or Outbound' },
    state: word(...STATES),
    from: number,
    to: number,
    flow: number,
    owner_ref: text,
    app_instance: text,
    started_from: moment,
    started_to: moment,
  },
  defaults: PAGE.defaults as ListQuery,
};

export function callListRoutes(parts: VoiceParts): Router {
  const { calls } = parts;
  const list: RequestHandler = (req, res) => {
    const { limit, cursor, filter } = readListQuery(req.url);
    const { projectId } = signedInProjectOf(res);
    const page = listCalls(defined({ projectId, filter, limit, cursor }), calls.callStore);
    if (!page) throw new ApiError('bad_request', 'cursor is none of ours', { hint: 'use `next` of the page before' });
    res.json(
      defined({
        result: 0,
        calls: page.calls.map((record) => callRecordBody(record, calls.recordingUrl)),
        next: page.next,
        timestamp: timestampOf(parts),
      }),
    );
  };
  const router = Router();
  router.get('/call', list);
  return router;
}

function readListQuery(url: string): PageQuery & { filter: CallFilter } {
  const { limit, cursor, ...asked } = readQuery(url, LIST);
  const { owner_ref: ownerRef, app_instance: broadcastId, started_from: fromMs, started_to: toMs, ...filter } = asked;
  return defined({
    limit,
    cursor,
    filter: defined({ ...filter, ownerRef, broadcastId, startedFromMs: fromMs, startedToMs: toMs }),
  });
}

/** The record of one call, in the words of its events. */
function callRecordBody(record: CallRecord, urlOf: (recordingId: string) => string): JsonObject {
  const { callId, direction, cause, startedMs, ringingMs, answeredMs, endedMs, ownerRef, quality } = record;
  const { broadcastId, answeredBy } = record;
  return defined({
    voice_id: callId,
    state: record.state,
    direction: direction === 'inbound' ? 'Inbound' : 'Outbound',
    from: record.from,
    to: record.to,
    flow: record.flow,
    owner_ref: ownerRef,
    app_instance: broadcastId,
    answered_by: answeredBy,
    started: iso(startedMs),
    ...momentBody('ringing', ringingMs),
    ...momentBody('connected', answeredMs),
    ...momentBody('ended', endedMs),
    ...(endedMs === undefined
      ? {}
      : { call_duration: answeredMs === undefined ? 0 : Math.round((endedMs - answeredMs) / 1000) }),
    ...(cause ? { disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : {}),
    ...(record.bridges ? { bridges: record.bridges.map(bridgeBody) } : {}),
    ...(record.recordings
      ? {
          recordings: record.recordings.map(({ recordingId, name, durationMs }) =>
            defined({
              recording_id: recordingId,
              recording_name: name,
              ...(durationMs === undefined
                ? {}
                : { recording_duration: Math.round(durationMs / 1000), recording_url: urlOf(recordingId) }),
            }),
          ),
        }
      : {}),
    ...(quality
      ? {
          quality: defined({
            codec: quality.codec,
            mos: quality.mos,
            packets_sent: quality.packetsSent,
            packets_received: quality.packetsReceived,
            packets_lost: quality.packetsLost,
            jitter_ms: Math.round(quality.jitterMs * 10) / 10,
            round_trip_ms: quality.roundTripMs === undefined ? undefined : Math.round(quality.roundTripMs),
            far_packets_lost: quality.farPacketsLost,
            far_jitter_ms: quality.farJitterMs === undefined ? undefined : Math.round(quality.farJitterMs * 10) / 10,
            encrypted: quality.encrypted ?? false,
          }),
        }
      : {}),
  });
}

const bridgeBody = ({
  to,
  startedMs,
  answeredMs,
  endedMs,
  cause,
}: NonNullable<CallRecord['bridges']>[number]): JsonObject => ({
  to,
  started: iso(startedMs),
  ...momentBody('bridged', answeredMs),
  ...momentBody('ended', endedMs),
  ...(cause ? { disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : {}),
});
