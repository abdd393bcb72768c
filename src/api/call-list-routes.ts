/** Call records (CDR), `GET /voice/v1/call`: the calls of a project, the newest first, in pages. */
import { type RequestHandler, Router } from 'express';
import { type CallFilter, listCalls } from '../calls/list-calls.ts';
import type { JsonObject } from '../core/json.ts';
import { recordingPath } from '../observers/webhooks/events.ts';
import type { CallRecord, CallState, Direction } from '../runtime/journal.ts';
import { Problem } from './problems.ts';
import { projectOf } from './request-context.ts';
import { timestampOf, type VoiceParts } from './route-parts.ts';

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 500;
const LONGEST_VALUE = 1000;

const DIRECTIONS: Readonly<Record<string, Direction>> = { inbound: 'inbound', outbound: 'outbound' };
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
const PARAMETERS = [
  'limit',
  'cursor',
  'direction',
  'state',
  'from',
  'to',
  'flow',
  'owner_ref',
  'app_instance',
  'started_from',
  'started_to',
];

export function callListRoutes(parts: VoiceParts): Router {
  const { calls, recordingUrl = recordingPath } = parts;
  const list: RequestHandler = (req, res) => {
    const { limit, cursor, filter } = readQuery(new URL(req.url, 'http://localhost').searchParams);
    const { projectId } = projectOf(res);
    const page = listCalls({ projectId, filter, limit, ...(cursor === undefined ? {} : { cursor }) }, calls.book);
    if (!page) throw new Problem('bad_request', 'cursor is none of ours', { hint: 'use `next` of the page before' });
    res.json({
      result: 0,
      calls: page.calls.map((record) => callRecordBody(record, recordingUrl)),
      ...(page.next === undefined ? {} : { next: page.next }),
      timestamp: timestampOf(parts),
    });
  };
  const router = Router();
  router.get('/call', list);
  return router;
}

interface CallQuery {
  limit: number;
  cursor?: string;
  filter: CallFilter;
}

function readQuery(given: URLSearchParams): CallQuery {
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) {
      const hint = `the parameters are ${PARAMETERS.join(', ')}`;
      throw new Problem('bad_request', `there is no parameter ${name.slice(0, 64)}`, { hint });
    }
  }
  const text = (name: string): string | undefined => given.get(name)?.trim().slice(0, LONGEST_VALUE) || undefined;
  const filter: CallFilter = {};
  const direction = text('direction')?.toLowerCase();
  if (direction !== undefined) filter.direction = DIRECTIONS[direction] ?? wrong('direction', 'Inbound or Outbound');
  const state = text('state')?.toLowerCase();
  if (state !== undefined) filter.state = STATES.find((one) => one === state) ?? wrong('state', STATES.join(', '));
  for (const name of ['from', 'to', 'flow'] as const) {
    const value = text(name);
    // A plus that was not written %2B arrives as a space.
    if (value !== undefined) filter[name] = given.get(name)!.startsWith(' ') ? `+${value}` : value;
  }
  const ownerRef = text('owner_ref');
  if (ownerRef !== undefined) filter.ownerRef = ownerRef;
  const broadcastId = text('app_instance');
  if (broadcastId !== undefined) filter.broadcastId = broadcastId;
  const startedFrom = text('started_from');
  if (startedFrom !== undefined) filter.startedFromMs = momentOf(startedFrom, 'started_from');
  const startedTo = text('started_to');
  if (startedTo !== undefined) filter.startedToMs = momentOf(startedTo, 'started_to');
  const cursor = text('cursor');
  return { limit: limitOf(text('limit')), filter, ...(cursor === undefined ? {} : { cursor }) };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LARGEST_LIMIT ? limit : wrong('limit', `1 to ${LARGEST_LIMIT}`);
}

function momentOf(text: string, name: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? wrong(name, 'a moment such as 2026-03-02T09:30:00Z') : Math.max(0, atMs);
}

function wrong(name: string, what: string): never {
  throw new Problem('bad_request', `${name} is not as it must be`, { hint: what });
}

/** The record of one call, in the words of its events. */
function callRecordBody(record: CallRecord, urlOf: (recordingId: string) => string): JsonObject {
  const { callId, direction, cause, startedMs, ringingMs, answeredMs, endedMs, ownerRef, quality } = record;
  const { broadcastId, answeredBy } = record;
  return {
    voice_id: callId,
    state: record.state,
    direction: direction === 'inbound' ? 'Inbound' : 'Outbound',
    from: record.from,
    to: record.to,
    flow: record.flow,
    ...(ownerRef === undefined ? {} : { owner_ref: ownerRef }),
    ...(broadcastId === undefined ? {} : { app_instance: broadcastId }),
    ...(answeredBy === undefined ? {} : { answered_by: answeredBy }),
    started: iso(startedMs),
    ...moment('ringing', ringingMs),
    ...moment('connected', answeredMs),
    ...moment('ended', endedMs),
    ...(endedMs === undefined
      ? {}
      : { call_duration: answeredMs === undefined ? 0 : Math.round((endedMs - answeredMs) / 1000) }),
    ...(cause ? { disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : {}),
    ...(record.bridges ? { bridges: record.bridges.map(bridgeBody) } : {}),
    ...(record.recordings
      ? {
          recordings: record.recordings.map(({ recordingId, name, durationMs }) => ({
            recording_id: recordingId,
            ...(name === undefined ? {} : { recording_name: name }),
            ...(durationMs === undefined
              ? {}
              : { recording_duration: Math.round(durationMs / 1000), recording_url: urlOf(recordingId) }),
          })),
        }
      : {}),
    ...(quality
      ? {
          quality: {
            codec: quality.codec,
            mos: quality.mos,
            packets_sent: quality.packetsSent,
            packets_received: quality.packetsReceived,
            packets_lost: quality.packetsLost,
            jitter_ms: Math.round(quality.jitterMs * 10) / 10,
            ...(quality.roundTripMs === undefined ? {} : { round_trip_ms: Math.round(quality.roundTripMs) }),
            ...(quality.farPacketsLost === undefined ? {} : { far_packets_lost: quality.farPacketsLost }),
            ...(quality.farJitterMs === undefined ? {} : { far_jitter_ms: Math.round(quality.farJitterMs * 10) / 10 }),
            encrypted: quality.encrypted ?? false,
          },
        }
      : {}),
  };
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
  ...moment('bridged', answeredMs),
  ...moment('ended', endedMs),
  ...(cause ? { disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : {}),
});

const moment = (name: string, atMs: number | undefined): JsonObject =>
  atMs === undefined ? {} : { [name]: iso(atMs) };

const iso = (atMs: number): string => new Date(atMs).toISOString();
