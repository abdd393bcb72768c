/**
 * Closes sessions that an earlier process left open: writes the end of each session to the journal, the records of its
 * participants, and the event for the application. The time of the end is not known: the time of the last journal entry
 * is used.
 */
import type { Ids } from '../../base/core/ids.ts';
import { type CallDetailStore, callDetailOf } from './call-detail.ts';
import { newParticipant } from './participant.ts';
import type { RoomRole, VideoRoom } from './room.ts';
import type { RoomJournalEntry, RoomJournalStore } from './room-journal.ts';
import type { RoomStore } from './room-store.ts';

export interface SessionRecoveryParts {
  ids: Ids;
  rooms: Pick<RoomStore, 'find'>;
  journal: Pick<RoomJournalStore, 'unfinished' | 'add'>;
  details: Pick<CallDetailStore, 'add'>;
  /** Called when a session is closed, to send the webhook of its project. */
  over(room: VideoRoom, confNum: string): void;
}

/** Returns the number of sessions. */
export function recoverSessions({ ids, rooms, journal, details, over }: SessionRecoveryParts): number {
  const sessions = journal.unfinished();
  for (const entries of sessions) {
    const last = entries.at(-1)!;
    const { projectId, roomId, confNum, atMs } = last;
    const room = rooms.find(projectId, roomId);
    if (room) {
      for (const joined of stillIn(entries)) {
        details.add(callDetailOf(personOf(joined), { room, confNum, cdrId: ids.next('cdr'), atMs }));
      }
      over(room, confNum);
    }
    journal.add({ ...last, type: 'over', body: { reason: 'crash' } });
  }
  return sessions.length;
}

function stillIn(entries: readonly RoomJournalEntry[]): RoomJournalEntry[] {
  const gone = new Set(entries.flatMap(({ type, body }) => (type === 'left' ? [body['call_num']] : [])));
  return entries.filter(({ type, body }) => type === 'joined' && !gone.has(body['call_num']));
}

function personOf({ atMs, body }: RoomJournalEntry) {
  const { call_num: id, name, role, user_ref: userRef, sip: isPhone, ip, agent } = body as unknown as JoinedBody;
  const link = { address: ip, agent, send: () => undefined, close: () => undefined };
  return newParticipant({ id, resumeKey: '', name, role, userRef, isPhone, joinedMs: atMs }, link);
}

/** Body of `joined`, as written by `room-journal.ts`. */
interface JoinedBody {
  call_num: string;
  name: string;
  role: RoomRole;
  user_ref: string;
  sip: boolean;
  ip: string;
  agent: string;
}
