/**
 * Records of room sessions. Write errors are logged and not thrown, because participants must not notice a full disk.
 */
import type { CallDetail } from '../media/rooms/call-detail.ts';
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
  return {
    details: held<CallDetail>('report', store.callDetails.add),
    journal: held<RoomJournalEntry>('journal', store.roomJournal.add),
    rooms: {
      find: store.rooms.find,
      replace: (room: VideoRoom) => attempt(() => store.rooms.replace(room)),
      remove: (projectId: string, roomId: string) => attempt(() => store.rooms.remove(projectId, roomId)),
    },
  };
}
