/**
 * The journal of rooms: what happened in their sessions, for those who run the service. Chat is not in it. Neighbours:
 * `recover-sessions.ts` ends what a crash cut off; the store forgets entries when it forgets calls.
 *
 * Invariant
 *  - of one session only so many entries are kept: its beginning, and its end.
 */
import { defined, type JsonObject } from '../core/json.ts';
import type { Participant } from './participant.ts';
import type { RoomSession } from './session.ts';
import type { HappenedEvent } from './session-ports.ts';

export interface RoomJournalEntry {
  projectId: string;
  roomId: string;
  confNum: string;
  atMs: number;
  type: JournalledEvent['type'];
  /** As the API shows it. */
  body: JsonObject;
}

type JournalledEvent = Exclude<HappenedEvent, { type: 'chat' }>;

export interface RoomJournalQuery {
  projectId: string;
  roomId: string;
  confNum?: string;
  limit: number;
  /** Those before the entry of this number. */
  before?: number;
}

/** Port. Durable when it returns. */
export interface RoomJournalStore {
  add(entry: RoomJournalEntry): void;
  /** The latest first; `next` where there are earlier ones. */
  list(query: RoomJournalQuery): { entries: RoomJournalEntry[]; next?: number };
  /** The entries of each session that began and has no end, in their order. */
  unfinished(): RoomJournalEntry[][];
}

/** More than three hours of a lecture of a thousand people have. */
const MAX_PER_SESSION = 10_000;

/** Entries of each session. */
const counts = new WeakMap<RoomSession, number>();

/** What happened as an entry of the journal; undefined: it is not for it. */
export function journalEntryOf(session: RoomSession, event: HappenedEvent, atMs: number): RoomJournalEntry | undefined {
  if (event.type === 'chat') return undefined;
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
    case 'recording':
      return defined<JsonObject>({ on: event.on, by: event.by?.id });
    case 'moderated': {
      const { type: command, ...more } = event.command;
      return defined<JsonObject>({ by: event.by?.id ?? 'administrator', command, ...more, name: event.name });
    }
    case 'over':
      return defined<JsonObject>({ reason: event.reason });
    default:
      return {};
  }
}

/** With all that a report about somebody needs. */
const shownPerson = ({ id, name, role, userRef, isPhone, address, agent }: Participant): JsonObject => ({
  ...{ call_num: id, name, role, user_ref: userRef, sip: isPhone },
  ...{ ip: address, agent },
});
