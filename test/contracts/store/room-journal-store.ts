/** The contract of `RoomJournalStore`. */
import { describe, expect, it } from 'vitest';
import type { RoomJournalEntry } from '../../../src/media/rooms/room-journal.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const entry = (type: RoomJournalEntry['type'], more: Partial<RoomJournalEntry> = {}): RoomJournalEntry => ({
  ...{ projectId: 'shop', roomId: 'a', confNum: '1', atMs: 1000, type, body: {} },
  ...more,
});

export function runRoomJournalStoreContract(make: MakeStoreHarness): void {
  describe('room journal store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const typesOf = (query: object = {}) =>
      store.roomJournal.list({ projectId: 'shop', roomId: 'a', limit: 10, ...query }).entries.map(({ type }) => type);

    it('gives the entries of a room, and of one of its sessions, the latest first, in pages', async ({ skip }) => {
      store.roomJournal.add(entry('active'));
      store.roomJournal.add(entry('joined', { body: { name: 'Ada' } }));
      store.roomJournal.add(entry('left', { roomId: 'b' }));
      store.roomJournal.add(entry('left', { projectId: 'other' }));
      store.roomJournal.add(entry('over', { confNum: '2' }));
      await reopen(skip);
      expect(typesOf()).toEqual(['over', 'joined', 'active']);
      expect(typesOf({ confNum: '1' })).toEqual(['joined', 'active']);
      const { entries, next } = store.roomJournal.list({ projectId: 'shop', roomId: 'a', confNum: '1', limit: 1 });
      expect([entries, typesOf({ before: next })]).toEqual([[entry('joined', { body: { name: 'Ada' } })], ['active']]);
    });

    it('knows which sessions have no end', () => {
      store.roomJournal.add(entry('active'));
      store.roomJournal.add(entry('active', { confNum: '2', roomId: 'b' }));
      store.roomJournal.add(entry('joined'));
      store.roomJournal.add(entry('over', { confNum: '2', roomId: 'b' }));
      expect(store.roomJournal.unfinished()).toEqual([[entry('active'), entry('joined')]]);
    });

    it('forgets what is too old', async () => {
      store.roomJournal.add(entry('active', { atMs: 999 }));
      store.roomJournal.add(entry('over'));
      await store.prune({ callsEndedBeforeMs: 1000, deadBeforeMs: 0 });
      expect(typesOf()).toEqual(['over']);
    });
  });
}
