/**
 * Records of room sessions. Write errors are logged and not thrown, because participants must not notice a full disk.
 */
import type { CallDetailStore } from '../media/rooms/call-detail.ts';
import { RetryingWriter } from '../media/rooms/retrying-writer.ts';
import type { VideoRoom } from '../media/rooms/room.ts';
import type { RoomJournalEntry } from '../media/rooms/room-journal.ts';
import type { Store } from '../service/store/store.ts';
import type { Base } from './base.ts';

export function createRoomRecords({ clock, log, state }: Base, store: Store) {
  const held = <Item extends { confNum: string }>(what: string, write: (item: Item) => void) => {
    const failed = (error: unknown, lost: Item | undefined) =>
      log.error('room.not_written', { what, isLost: lost !== undefined, session: lost?.confNum, error });
    const writes = new RetryingWriter({ clock, write, failed });
    state.closers.push(() => writes.close());
    return writes;
  };
  const attempt = (write: () => boolean): boolean => {
    try {
      return write();
    } catch (error) {
      log.error('room.not_written', { what: 'room', isLost: true, error });
      return false;
    }
  };
  // One queue, so that the feedback follows its report.
  const reports = held<{ confNum: string; write(): void }>('report', ({ write }) => write());
  const report = ({ confNum }: { confNum: string }, write: () => void): void => reports.add({ confNum, write });
  return {
    details: {
      add: (detail) => report(detail, () => store.callDetails.add(detail)),
      addFeedback: (detail, feedback) => report(detail, () => store.callDetails.addFeedback(detail, feedback)),
    } satisfies Pick<CallDetailStore, 'add' | 'addFeedback'>,
    journal: held<RoomJournalEntry>('journal', store.roomJournal.add),
    rooms: {
      find: store.rooms.find,
      replace: (room: VideoRoom) => attempt(() => store.rooms.replace(room)),
      remove: (projectId: string, roomId: string) => attempt(() => store.rooms.remove(projectId, roomId)),
    },
  };
}
