/**
 * What the application is told: journal entry → webhook events, as the API documents them. Pure; the runtime calls it
 * before each commit, so that the events are written with the decision they tell of. Neighbours: `play-events.ts`,
 * `activity-events.ts`, `broadcast-events.ts`.
 *
 * Invariants
 *  W1 one entry gives at most one event, so what the journal says once is told once: `ringing`, the end of a call, and
 *     the final event of a prompt;
 *  W2 what is told of a call cannot replace whose call it is.
 */
import type { Delivery } from '../../core/delivery.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import {
  bridgeEvent,
  recordingEvent,
  recordingFields,
  streamEvent,
  transcriptEvent,
  transferredEvent,
  unjoinedEvent,
  untransferredEvent,
  venueEvent,
} from './activity-events.ts';
import { broadcastIds } from './broadcast-events.ts';
import { isDigits, playEvent, unplayedEvent } from './play-events.ts';

export interface EventContext {
  /** A new `webhook-id`. */
  nextId(): string;
  /** Where a recording can be had: a whole URL. */
  recordingUrl(recordingId: string): string;
}

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** The deliveries that this entry of this call causes; `record` is the call as it stands after the entry. */
export function deliveriesOf(entry: JournalEntry, record: CallRecord, context: EventContext): Delivery[] {
  if (record.eventUrl === undefined) return [];
  const event = eventOf(entry, record, context);
  if (event === undefined) return [];
  // The time of day, also when somebody set the clock during the call.
  const wallMs = entry.wallMs ?? entry.atMs;
  const payload: JsonObject = {
    voice_id: record.callId,
    from: record.from,
    to: record.to,
    ...event,
    ...(record.broadcastId === undefined ? {} : broadcastIds(record.broadcastId)),
    ...(record.ownerRef === undefined ? {} : { owner_ref: record.ownerRef }),
    timestamp: new Date(wallMs).toISOString(),
  };
  return [
    defined({
      id: context.nextId(),
      projectId: record.projectId,
      orderKey: record.callId,
      url: record.eventUrl,
      payload,
      createdMs: wallMs,
      partOf: record.broadcastId,
    }),
  ];
}

export const recordingPath = (recordingId: string): string => `/voice/v1/recording/${encodeURIComponent(recordingId)}`;

/** The fields that are the event's own. */
function eventOf(entry: JournalEntry, record: CallRecord, { recordingUrl }: EventContext): JsonObject | undefined {
  switch (entry.kind) {
    case 'state':
      return stateEvent(entry, record, recordingUrl);
    case 'left':
      return isGreeting(entry, record) ? undefined : playEvent(entry, record.callId);
    case 'unplayed':
      return unplayedEvent(entry);
    case 'digit':
      return isDigits(entry.digit) ? { state: 'dtmfcollected', digit: entry.digit } : undefined;
    case 'bridge':
      return withBroadcastState(bridgeEvent(entry), record);
    case 'transferred':
      return transferredEvent(entry);
    case 'unjoined':
      return unjoinedEvent(entry);
    case 'untransferred':
      return untransferredEvent(entry);
    case 'recording':
      return recordingEvent(entry, recordingUrl);
    case 'stream':
      return streamEvent(entry);
    case 'transcript':
      return transcriptEvent(entry);
    case 'venue':
      return venueEvent(entry);
    case 'notified':
      // A flow that greets before it tells of the call does so with a `notify` of this name.
      if (entry.event === 'incomingcall') return { state: 'incomingcall' };
      return { event: entry.event, body: entry.body };
    default:
      return undefined;
  }
}

/** A bridge that fails has a word of its own on calls of broadcasts. */
const withBroadcastState = (event: JsonObject | undefined, { broadcastId }: CallRecord): JsonObject | undefined =>
  broadcastId !== undefined && event?.['state'] === 'failed' ? { ...event, state: 'bridge_failed' } : event;

/** The built-in flow of numbers that have no flow: `incomingcall` is the first word about its calls, also after a greeting. */
const GREETING_FLOW = 'inbound-webhook';

const isGreeting = ({ atMs, playId }: EntryOf<'left'>, { flow, answeredMs }: CallRecord): boolean =>
  flow === GREETING_FLOW && playId === undefined && (answeredMs === undefined || atMs < answeredMs);

/** How a bridge stands is told by entries of its own. */
const BRIDGE_STATES = new Set(['initiated', 'bridging', 'bridged', 'bridge_disconnected']);

function stateEvent(
  entry: EntryOf<'state'>,
  record: CallRecord,
  recordingUrl: (recordingId: string) => string,
): JsonObject | undefined {
  const { state } = entry;
  if (BRIDGE_STATES.has(state)) return undefined;
  if (state !== 'disconnected' && state !== 'failed') return { state };
  const cause = entry.cause ?? record.cause;
  const event: JsonObject = { state };
  if (cause) Object.assign(event, { disconnect_reason: cause.reason, disconnect_cause_code: cause.code });
  if (state === 'disconnected') event['call_duration'] = talkSeconds(entry, record);
  if (record.roomId !== undefined) event['room_id'] = record.roomId;
  return { ...event, ...recordingFields(record, recordingUrl) };
}

/** Seconds from the answer to the end, rounded to the nearest; 0 for a call that was never answered. */
function talkSeconds(entry: EntryOf<'state'>, record: CallRecord): number {
  if (record.answeredMs === undefined) return 0;
  return Math.max(0, Math.round(((record.endedMs ?? entry.atMs) - record.answeredMs) / 1000));
}
