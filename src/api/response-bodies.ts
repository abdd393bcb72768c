/** Responses of the voice routes, in the documented words; their schemas are `schemas/api/responses/`. */
import type { CallAnalysis } from '../calls/analyze-call.ts';
import type { Conference, Participant } from '../calls/conferences/conferences.ts';
import type { ConnectionResult } from '../calls/connect-call.ts';
import { defined, type JsonObject } from '../core/json.ts';
import type { CallRecord } from '../runtime/journal.ts';

/** Fields that every answer about a call carries. */
function about(record: CallRecord, timestamp: string): JsonObject {
  return defined({ from: record.from, to: record.to, owner_ref: record.ownerRef, timestamp });
}

/** An action that goes on (`initiated`), or is done (`success`). */
export function actionBody(
  record: CallRecord,
  state: 'initiated' | 'success',
  timestamp: string,
  more: JsonObject = {},
): JsonObject {
  return { voice_id: record.callId, state, status: state, ...about(record, timestamp), ...more };
}

export function playBody(
  record: CallRecord,
  play: { playId: string; promptRef?: string | undefined },
  timestamp: string,
): JsonObject {
  return actionBody(
    record,
    'initiated',
    timestamp,
    defined({ play_id: play.playId, playstate: 'initiated', prompt_ref: play.promptRef, msg: '' }),
  );
}

/** The parties are those of the new conversation. */
export const connectedBody = (
  { record, id, from, to }: ConnectionResult,
  idKey: 'bridge_id' | 'channel_id',
  state: 'initiated' | 'success',
  timestamp: string,
): JsonObject => actionBody(record, state, timestamp, { [idKey]: id, from, to });

export function analysisBody({ record, state, flow, step }: CallAnalysis, timestamp: string): JsonObject {
  return defined({
    voice_id: record.callId,
    state,
    direction: record.direction === 'inbound' ? 'Inbound' : 'Outbound',
    flow,
    step,
    ...about(record, timestamp),
  });
}

/** A call that is on its way into a conference. */
export const conferenceCallBody = (
  { conference, record }: { conference: Conference; record: CallRecord },
  timestamp: string,
): JsonObject => ({
  conference_id: conference.conferenceId,
  name: conference.name,
  ...actionBody(record, 'initiated', timestamp),
});

export const conferenceBody = (conference: Conference, timestamp: string): JsonObject => ({
  conference_id: conference.conferenceId,
  name: conference.name,
  state: conference.state,
  status: 'success',
  created: iso(conference.createdMs),
  ...(conference.endedMs === undefined ? {} : { ended: iso(conference.endedMs) }),
  recording: conference.recording,
  participants: conference.participants.map(participantBody),
  timestamp,
});

const participantBody = ({ callId, from, to, state, muted, hold, moderator, joinedMs }: Participant): JsonObject => ({
  voice_id: callId,
  from,
  to,
  state,
  muted,
  hold,
  moderator,
  joined: iso(joinedMs),
});

export const iso = (atMs: number): string => new Date(atMs).toISOString();

/** Nothing where there was no such moment. */
export const momentBody = (name: string, atMs: number | undefined): JsonObject =>
  atMs === undefined ? {} : { [name]: iso(atMs) };
