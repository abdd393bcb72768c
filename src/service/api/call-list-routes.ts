/** Call records (CDR), `GET /voice/v1/call`: calls of a project in pages, newest first. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { snakeCased } from '../../base/core/key-case.ts';
import { type CallFilter, listCalls } from '../calls/views/list-calls.ts';
import type { LiveStep } from '../observers/live/live-calls.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { CALL_FILTERS, foreignCursor, type PageQuery, readQuery } from './query-parameters.ts';
import { directionBody, iso, optionalIso, tenths } from './response-bodies.ts';
import { type VoiceParts, voiceRoute } from './voice-route.ts';

export const LIST_CALLS = voiceRoute('Calls', 'GET', '/voice/v1/call', {
  summary: 'lists the calls of the project, newest first',
  query: CALL_FILTERS,
  response: 'call-list',
  merged: { list: 'calls', by: 'started', order: 'falling', id: 'voice_id' },
  errors: ['bad_request'],
  async handle({ projectId, url }, { calls, live }) {
    const { limit, cursor, filter } = readListQuery(url);
    const page = await listCalls(defined({ projectId, filter, limit, cursor }), calls.callStore);
    if (!page) throw foreignCursor();
    return defined({
      result: 0,
      calls: page.calls.map((record) => listedCallBody(record, { calls, live })),
      next: page.next,
    });
  },
});

export interface AskedCalls extends Pick<CallFilter, 'state' | 'from' | 'to' | 'number' | 'flow'> {
  direction?: 'Inbound' | 'Outbound';
  owner_ref?: string;
  app_instance?: string;
}

interface ListQuery extends PageQuery, AskedCalls {
  started_from?: number;
  started_to?: number;
}

function readListQuery(url: string): PageQuery & { filter: CallFilter } {
  const { limit, cursor, started_from: fromMs, started_to: toMs, ...asked } = readQuery<ListQuery>(url, CALL_FILTERS);
  return { limit, cursor, filter: { ...filterOf(asked), ...defined({ startedFromMs: fromMs, startedToMs: toMs }) } };
}

/** Converts the query parameters to a filter. */
export function filterOf<Asked extends AskedCalls>({ direction, ...asked }: Asked): CallFilter {
  const { owner_ref: ownerRef, app_instance: broadcastId, ...filter } = asked;
  return defined<CallFilter>({
    ...filter,
    direction: direction && (direction === 'Inbound' ? 'inbound' : 'outbound'),
    ownerRef,
    broadcastId,
  });
}

/** Call record; for a live call, with its current step. */
export const listedCallBody = (
  record: CallRecord,
  { calls, live }: { calls: Pick<VoiceParts['calls'], 'recordingUrl'>; live: Pick<VoiceParts['live'], 'stepOf'> },
): JsonObject => ({
  ...callRecordBody(record, calls.recordingUrl),
  ...stepBody(live.stepOf(record.callId)),
});

/** Current step of a live call. */
const stepBody = (at: LiveStep | undefined): JsonObject =>
  at ? { step: at.step, step_flow: at.flow, step_since: iso(at.sinceMs) } : {};

/** Call record with the field names of events. */
function callRecordBody(record: CallRecord, urlOf: (recordingId: string) => string): JsonObject {
  const { answeredMs, endedMs, bridges, recordings, quality } = record;
  return defined({
    voice_id: record.callId,
    direction: directionBody(record),
    ...snakeCased(record, ['state', 'from', 'to', 'flow', 'flowHash', 'ownerRef', 'answeredBy']),
    app_instance: record.broadcastId,
    started: iso(record.startedMs),
    ringing: optionalIso(record.ringingMs),
    connected: optionalIso(answeredMs),
    ended: optionalIso(endedMs),
    call_duration: endedMs === undefined ? undefined : secondsOf(endedMs - (answeredMs ?? endedMs)),
    ...endBody(record),
    bridges: bridges?.map((bridge) =>
      defined({
        to: bridge.to,
        started: iso(bridge.startedMs),
        bridged: optionalIso(bridge.answeredMs),
        ended: optionalIso(bridge.endedMs),
        ...endBody(bridge),
      }),
    ),
    recordings: recordings?.map(({ recordingId, name, durationMs }) =>
      defined({
        recording_id: recordingId,
        recording_name: name,
        recording_duration: durationMs === undefined ? undefined : secondsOf(durationMs),
        recording_url: durationMs === undefined ? undefined : urlOf(recordingId),
      }),
    ),
    quality: quality && qualityBody(quality),
  });
}

const qualityBody = (quality: NonNullable<CallRecord['quality']>): JsonObject =>
  defined({
    ...snakeCased(quality, ['codec', 'mos', 'packetsSent', 'packetsReceived', 'packetsLost', 'farPacketsLost']),
    jitter_ms: tenths(quality.jitterMs),
    round_trip_ms: quality.roundTripMs === undefined ? undefined : Math.round(quality.roundTripMs),
    far_jitter_ms: quality.farJitterMs === undefined ? undefined : tenths(quality.farJitterMs),
    encrypted: quality.encrypted ?? false,
  });

/** Cause of the end, the party that ended the call, and the SIP data of the leg. */
const endBody = ({ cause, hangupBy, sip }: Pick<CallRecord, 'cause' | 'hangupBy' | 'sip'>): JsonObject =>
  defined({
    disconnect_reason: cause?.reason,
    disconnect_cause_code: cause?.code,
    hangup_by: hangupBy,
    sip_status: sip?.status,
    sip_reason: sip?.reason,
    sip_call_id: sip?.callId,
    post_dial_ms: sip?.postDialMs,
    ring_ms: sip?.ringMs,
  });

const secondsOf = (ms: number): number => Math.round(ms / 1000);
