/**
 * Events of bridges, recordings, streams, transcripts, conferences, queues and rooms. States of conferences, queues and
 * rooms are prefixed (`conference_…`), so that clients do not mistake them for states of the call.
 */
import type { Cause } from '../../../base/core/causes.ts';
import { defined, isObject, type JsonObject } from '../../../base/core/json.ts';
import type { CallRecord, JournalEntryOf } from '../../runtime/journal.ts';

const MAX_DESCRIPTION_LENGTH = 500;

export const shortened = (description: string): string => description.slice(0, MAX_DESCRIPTION_LENGTH);

export const causeFields = (cause: Cause | undefined): JsonObject =>
  cause ? { disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : {};

/** `from` and `to` are those of the bridge. */
export function bridgeEvent({ bridgeId, state, from, to, cause }: JournalEntryOf<'bridge'>): JsonObject | undefined {
  // The response to the request reports it.
  if (state === 'initiated') return undefined;
  return { bridge_id: bridgeId, state, from, to, ...causeFields(cause) };
}

/**
 * A failed transfer is reported like the end of a bridge that was never established; the `channel_id` tells the client
 * that the present bridge continues.
 */
export function transferEvent(entry: JournalEntryOf<'transferred' | 'untransferred'>): JsonObject {
  const { kind, channelId, bridgeId, from, to } = entry;
  const ids = { bridge_id: bridgeId, channel_id: channelId };
  if (kind === 'transferred') return { ...ids, state: kind, from, to };
  return { ...ids, state: 'failed', from, to, description: entry.cause.reason, ...causeFields(entry.cause) };
}

export function recordingEvent(
  { recordingId, name, state, durationMs, description, recovered }: JournalEntryOf<'recording'>,
  urlOf: (recordingId: string) => string,
): JsonObject {
  return defined({
    state,
    recording_id: recordingId,
    recording_name: name,
    ...(state === 'completed' ? { recording_url: urlOf(recordingId) } : {}),
    recording_duration: durationMs === undefined ? undefined : seconds(durationMs),
    ...(recovered ? { recovered } : {}),
    description: shortened(description ?? ''),
  });
}

/** Recordings in the final event of a call: the last one, and all if there are more. */
export function recordingFields({ recordings = [] }: CallRecord, urlOf: (recordingId: string) => string): JsonObject {
  const completed = recordings
    .filter(({ durationMs }) => durationMs !== undefined && durationMs > 0)
    .map(({ recordingId, durationMs = 0 }) => ({
      recording_url: urlOf(recordingId),
      recording_duration: seconds(durationMs),
    }));
  return { ...completed.at(-1), ...(completed.length > 1 ? { recordings: completed } : {}) };
}

export function streamEvent({ streamId, state, description }: JournalEntryOf<'stream'>): JsonObject {
  return {
    state,
    stream_id: streamId,
    ...(description === undefined ? {} : { description: shortened(description) }),
  };
}

export const transcriptEvent = ({
  track,
  text,
  confidence,
  fromMs,
  toMs,
}: JournalEntryOf<'transcript'>): JsonObject => ({
  state: 'transcribed',
  track,
  text,
  confidence,
  from_ms: Math.round(fromMs),
  to_ms: Math.round(toMs),
});

/** Venue events that are reported. */
export const VENUE_EVENTS = {
  conference: ['joined', 'left', 'waiting', 'started', 'muted', 'held', 'full', 'ended'],
  queue: ['position', 'turn', 'connected', 'parted', 'full', 'no_agents', 'callback', 'no_callback'],
  room: ['joined', 'left', 'denied', 'ended'],
};
/** States of rooms without the prefix `room_`. */
const PLAIN_ROOM_STATES = ['joined', 'left'];

const IDS = { conference: 'conference_id', queue: 'queue', room: 'room_id' } as const;
/** Data fields that are passed on to applications. */
export const VENUE_FIELDS = [
  ...['name', 'members', 'muted', 'hold', 'position', 'waiting', 'estimated_wait', 'agent', 'reason', 'callback_id'],
];

export function venueEvent({ venue, name, event, data }: JournalEntryOf<'venue'>): JsonObject | undefined {
  if (!VENUE_EVENTS[venue].includes(event)) return undefined;
  const isPlain = venue === 'room' && PLAIN_ROOM_STATES.includes(event);
  const values = isObject(data) ? data : {};
  const id = values[IDS[venue]];
  // A caller who was rejected, or released after the end, does not leave.
  if (event === 'left' && id === undefined) return undefined;
  const present = VENUE_FIELDS.filter((field) => Object.hasOwn(values, field));
  const fields = Object.fromEntries(present.map((field) => [field, values[field]!]));
  return { state: isPlain ? event : `${venue}_${event}`, [IDS[venue]]: id ?? name, ...fields };
}

/** The call ended before it joined. */
export const unjoinedEvent = ({ venue, name }: JournalEntryOf<'unjoined'>): JsonObject => ({
  state: `${venue}_failed`,
  [IDS[venue]]: name,
  description: 'the call did not get there',
});

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));
