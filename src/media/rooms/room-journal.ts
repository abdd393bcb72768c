/**
 * Journal of rooms: events of their sessions, for operators. Chat and captions are left out. `recover-sessions.ts` closes sessions
 * that a crash interrupted; the store deletes entries when it deletes calls.
 *
 * Invariant
 *  - the number of entries of a session is limited: the first ones and its end are kept.
 */
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { Participant } from './participant.ts';
import type { RoomSession } from './session.ts';
import type { ReportedEvent } from './session-ports.ts';

export interface RoomJournalEntry {
  projectId: string;
  roomId: string;
  confNum: string;
  atMs: number;
  type: JournalledEvent['type'];
  /** Body as the API returns it. */
  body: JsonObject;
}

type JournalledEvent = Exclude<ReportedEvent, { type: 'chat' | 'caption' }>;

export interface RoomJournalQuery {
  projectId: string;
  roomId: string;
  confNum?: string;
  limit: number;
  /** Only entries before the one with this number. */
  before?: number;
}

/** Port. Durable when it returns. */
export interface RoomJournalStore {
  add(entry: RoomJournalEntry): void;
  /** Newest first; `next` if there are older entries. */
  list(query: RoomJournalQuery): { entries: RoomJournalEntry[]; next?: number };
  /** Entries of each session without an end, in order. */
  unfinished(): RoomJournalEntry[][];
}

/** Enough for three hours of a lecture with a thousand participants. */
const MAX_PER_SESSION = 10_000;

/** Number of entries by session. */
const counts = new WeakMap<RoomSession, number>();

/** Returns the journal entry of an event; undefined if the event is not journalled. */
export function journalEntryOf(session: RoomSession, event: ReportedEvent, atMs: number): RoomJournalEntry | undefined {
  if (event.type === 'chat' || event.type === 'caption') return undefined;
  const count = (counts.get(session) ?? 0) + 1;
  counts.set(session, count);
  if (count > MAX_PER_SESSION && event.type !== 'over') return undefined;
  const { confNum, room } = session;
  const { projectId, roomId } = room;
  return { projectId, roomId, confNum, atMs, type: event.type, body: bodyOf(event) };
}

function bodyOf(event: JournalledEvent): JsonObject {
  switch (event.type) {
    case 'joined':
      return shownPerson(event.participant);
    case 'left':
      return { call_num: event.participant.id, name: event.participant.name, reason: event.reason };
    case 'connection': {
      const { participant, direction, state } = event;
      return { call_num: participant.id, name: participant.name, direction, state };
    }
    case 'blocked': {
      const { participant, direction, source, owner, reason, codec } = event;
      const { id, name } = participant;
      return defined<JsonObject>({ call_num: id, name, direction, source, of: owner, reason, codec });
    }
    case 'captions':
    case 'recording':
      return defined<JsonObject>({ on: event.on, by: event.by?.id });
    case 'moderated': {
      const { type: command, ...more } = event.command;
      return defined<JsonObject>({ by: event.by?.id ?? 'administrator', command, ...more, name: event.name });
    }
    case 'invited':
    case 'invitation_revoked': {
      const { type: _, by, ...more } = event;
      return { by: by.id, ...more };
    }
    case 'poll': {
      const { state, by, report } = event;
      const { id, ...poll } = report;
      return defined<JsonObject>({ by: by?.id, state, poll: id, ...poll });
    }
    case 'feedback': {
      const { participant, rating, text } = event;
      return defined<JsonObject>({ call_num: participant.id, name: participant.name, rating, text });
    }
    case 'over':
      return defined<JsonObject>({ reason: event.reason });
    default:
      return {};
  }
}

/** Contains all fields that a report about the participant needs. */
const shownPerson = ({ id, name, role, userRef, isPhone, address, agent }: Participant): JsonObject => ({
  ...{ call_num: id, name, role, user_ref: userRef, sip: isPhone },
  ...{ ip: address, agent },
});
