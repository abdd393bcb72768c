/**
 * Events of what goes on beside prompts: bridges, recordings, streams, transcripts, and the places that a call is in.
 * Words that are documented stand alone; ours begin with what they are about (`conference_…`, `queue_…`, `room_…`), so
 * that no client takes one for another.
 */
import { defined, isObject, type JsonObject } from '../../core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

const LONGEST_DESCRIPTION = 500;

/** Its `from` and `to` are those of the bridge. */
export function bridgeEvent({ bridgeId, state, from, to, cause }: EntryOf<'bridge'>): JsonObject | undefined {
  // The response told it.
  if (state === 'initiated') return undefined;
  const event: JsonObject = { bridge_id: bridgeId, state, from, to };
  return cause ? { ...event, disconnect_reason: cause.reason, disconnect_cause_code: cause.code } : event;
}

export const transferredEvent = ({ channelId, bridgeId, from, to }: EntryOf<'transferred'>): JsonObject => ({
  bridge_id: bridgeId,
  channel_id: channelId,
  state: 'transferred',
  from,
  to,
});

/** Told as the end of a bridge that never was; who has a `channel_id` knows that the one there is goes on. */
export const untransferredEvent = ({ channelId, bridgeId, from, to, cause }: EntryOf<'untransferred'>): JsonObject => ({
  bridge_id: bridgeId,
  channel_id: channelId,
  state: 'failed',
  from,
  to,
  description: cause.reason,
  disconnect_reason: cause.reason,
  disconnect_cause_code: cause.code,
});

export function recordingEvent(
  { recordingId, name, state, durationMs, description, recovered }: EntryOf<'recording'>,
  urlOf: (recordingId: string) => string,
): JsonObject {
  return defined({
    state,
    recording_id: recordingId,
    recording_name: name,
    ...(state === 'completed' ? { recording_url: urlOf(recordingId) } : {}),
    recording_duration: durationMs === undefined ? undefined : seconds(durationMs),
    ...(recovered ? { recovered } : {}),
    description: (description ?? '').slice(0, LONGEST_DESCRIPTION),
  });
}

/** What the end of a call says of the recordings made of it: the last one, and all where there are more. */
export function recordingFields({ recordings = [] }: CallRecord, urlOf: (recordingId: string) => string): JsonObject {
  const made = recordings
    .filter(({ durationMs }) => durationMs !== undefined && durationMs > 0)
    .map(({ recordingId, durationMs = 0 }) => ({
      recording_url: urlOf(recordingId),
      recording_duration: seconds(durationMs),
    }));
  return { ...made.at(-1), ...(made.length > 1 ? { recordings: made } : {}) };
}

export function streamEvent({ streamId, state, description }: EntryOf<'stream'>): JsonObject {
  return {
    state,
    stream_id: streamId,
    ...(description === undefined ? {} : { description: description.slice(0, LONGEST_DESCRIPTION) }),
  };
}

export const transcriptEvent = ({ track, text, confidence, fromMs, toMs }: EntryOf<'transcript'>): JsonObject => ({
  state: 'transcribed',
  track,
  text,
  confidence,
  from_ms: Math.round(fromMs),
  to_ms: Math.round(toMs),
});

/** Names that are worth an event, and the word for them. */
const VENUE_EVENTS: Readonly<Record<EntryOf<'venue'>['venue'], Readonly<Record<string, string>>>> = {
  conference: {
    joined: 'conference_joined',
    left: 'conference_left',
    waiting: 'conference_waiting',
    started: 'conference_started',
    muted: 'conference_muted',
    held: 'conference_held',
    full: 'conference_full',
    ended: 'conference_ended',
  },
  queue: { position: 'queue_position', turn: 'queue_turn', full: 'queue_full' },
  room: { joined: 'joined', left: 'left', denied: 'room_denied', ended: 'room_ended' },
};

const IDS = { conference: 'conference_id', queue: 'queue', room: 'room_id' } as const;
/** Of what a place tells, the part that applications are told. */
const VENUE_FIELDS = ['name', 'members', 'muted', 'hold', 'position', 'waiting', 'agent', 'reason'];

export function venueEvent({ venue, name, event, data }: EntryOf<'venue'>): JsonObject | undefined {
  const state = Object.hasOwn(VENUE_EVENTS[venue], event) ? VENUE_EVENTS[venue][event] : undefined;
  if (state === undefined) return undefined;
  const facts = isObject(data) ? data : {};
  const known = facts[IDS[venue]];
  // Who was turned away, or is let go after the end, does not leave.
  if (event === 'left' && known === undefined) return undefined;
  const told: JsonObject = { state, [IDS[venue]]: known ?? name };
  for (const field of VENUE_FIELDS) if (Object.hasOwn(facts, field)) told[field] = facts[field]!;
  return told;
}

/** Nobody was let in where the call was to go. */
export const unjoinedEvent = ({ venue, name }: EntryOf<'unjoined'>): JsonObject => ({
  state: `${venue}_failed`,
  [IDS[venue]]: name,
  description: 'the call did not get there',
});

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));
