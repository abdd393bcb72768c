/**
 * Turns journal entries into webhook events, as documented in `docs/webhooks.md`. Pure; the runtime calls it before
 * each commit, so that events are written with the decision that they report. Neighbours: `play-events.ts`,
 * `activity-events.ts`, `broadcast-events.ts`.
 *
 * Invariants
 *  - One entry gives at most one event, so that `ringing`, the end of a call and the end of a prompt are reported once.
 *  - The fields of an event cannot replace the id of its call.
 */
import type { Delivery } from '../../../base/core/delivery.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { forKind, type KindTable } from '../../../base/core/kind-table.ts';
import type { CallRecord, JournalEntry, JournalEntryOf } from '../../runtime/journal.ts';
import {
  bridgeEvent,
  causeFields,
  recordingEvent,
  recordingFields,
  streamEvent,
  transcriptEvent,
  transferEvent,
  unjoinedEvent,
  venueEvent,
} from './activity-events.ts';
import { broadcastIds } from './broadcast-events.ts';
import { isDigits, playEvent, unplayedEvent } from './play-events.ts';

export interface EventContext {
  /** Returns a new `webhook-id`. */
  nextId(): string;
  /** Absolute URL of a recording. */
  recordingUrl(recordingId: string): string;
}

/** Deliveries caused by this entry; `record` is the call after the entry. */
export function deliveriesOf(entry: JournalEntry, record: CallRecord, context: EventContext): Delivery[] {
  if (record.eventUrl === undefined) return [];
  const event = forKind(EVENTS, entry)?.(entry, record, context.recordingUrl);
  if (event === undefined) return [];
  // The time of day, even if the clock was set during the call.
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

/** Fields of the event caused by an entry. */
const EVENTS: KindTable<JournalEntry, [CallRecord, EventContext['recordingUrl']], JsonObject | undefined> = {
  state: stateEvent,
  left: (entry, record) => (isGreeting(entry, record) ? undefined : playEvent(entry, record.callId)),
  unplayed: unplayedEvent,
  digit: ({ digit }) => (isDigits(digit) ? { state: 'dtmfcollected', digit } : undefined),
  bridge: (entry, record) => withBroadcastState(bridgeEvent(entry), record),
  transferred: transferEvent,
  untransferred: transferEvent,
  unjoined: unjoinedEvent,
  recording: (entry, _, recordingUrl) => recordingEvent(entry, recordingUrl),
  stream: streamEvent,
  transcript: transcriptEvent,
  venue: venueEvent,
  // A flow that plays a greeting before it reports the call uses a `notify` of this name.
  notified: ({ event, body }, record): JsonObject =>
    event === 'incomingcall' ? { state: event, ...headersOf(record) } : { event, body },
};

/** A failed bridge has a different state on calls of broadcasts. */
const withBroadcastState = (event: JsonObject | undefined, { broadcastId }: CallRecord): JsonObject | undefined =>
  broadcastId !== undefined && event?.['state'] === 'failed' ? { ...event, state: 'bridge_failed' } : event;

/** Built-in flow of numbers without a flow: `incomingcall` is the first event of its calls, even after a greeting. */
const GREETING_FLOW = 'inbound-webhook';

const isGreeting = ({ atMs, playId }: JournalEntryOf<'left'>, { flow, answeredMs }: CallRecord): boolean =>
  flow === GREETING_FLOW && playId === undefined && (answeredMs === undefined || atMs < answeredMs);

/** SIP headers of the far end, included in the event that reports its INVITE or its answer. */
const headersOf = ({ headers }: CallRecord): JsonObject =>
  headers === undefined ? {} : { sip_headers: { ...headers } };

/** Separate entries report these. */
const BRIDGE_STATES = new Set(['initiated', 'bridging', 'bridged', 'bridge_disconnected']);

function stateEvent(
  entry: JournalEntryOf<'state'>,
  record: CallRecord,
  recordingUrl: (recordingId: string) => string,
): JsonObject | undefined {
  const { state } = entry;
  if (BRIDGE_STATES.has(state)) return undefined;
  if (state === 'incomingcall' || (state === 'connected' && record.direction === 'outbound')) {
    return { state, ...headersOf(record) };
  }
  if (state !== 'disconnected' && state !== 'failed') return { state };
  return defined({
    state,
    ...causeFields(entry.cause ?? record.cause),
    call_duration: state === 'disconnected' ? talkSeconds(entry, record) : undefined,
    room_id: record.roomId,
    ...recordingFields(record, recordingUrl),
  });
}

/** Rounded seconds from the answer to the end; 0 for a call that was never answered. */
function talkSeconds(entry: JournalEntryOf<'state'>, record: CallRecord): number {
  if (record.answeredMs === undefined) return 0;
  return Math.max(0, Math.round(((record.endedMs ?? entry.atMs) - record.answeredMs) / 1000));
}
