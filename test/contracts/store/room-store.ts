/** The contract of `RoomStore`. */
import { describe, expect, it } from 'vitest';
import type { VideoRoom } from '../../../src/media/rooms/room.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { ROOM } from '../../rooms/room-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const room = (roomId: string, more: Partial<VideoRoom> = {}): VideoRoom => ({ ...ROOM, roomId, ...more });

export function runRoomStoreContract(make: MakeStoreHarness): void {
  describe('room store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('keeps rooms by project, and gives out copies', () => {
      expect(store.rooms.create(room('a', { data: { floor: 1 } }))).toBe(true);
      expect(store.rooms.create(room('a', { projectId: 'other', name: 'Another' }))).toBe(true);
      store.rooms.find('shop', 'a')!.name = 'changed';
      expect(store.rooms.find('shop', 'a')).toEqual(room('a', { data: { floor: 1 } }));
      expect(store.rooms.find('other', 'a')?.name).toBe('Another');
      expect(store.rooms.find('shop', 'b')).toBeUndefined();
    });

    it('refuses a second room of an id, a PIN of the project, or a meeting id', () => {
      store.rooms.create(room('a', { sip: { pin: '123456', meetingId: '900000001' } }));
      expect(store.rooms.create(room('a'))).toBe(false);
      expect(store.rooms.create(room('b', { sip: { pin: '123456', meetingId: '900000002' } }))).toBe(false);
      expect(store.rooms.create(room('b', { sip: { pin: '654321', meetingId: '900000001' } }))).toBe(false);
      const elsewhere = room('b', { projectId: 'other', sip: { pin: '123456', meetingId: '900000003' } });
      expect(store.rooms.create(elsewhere)).toBe(true);
      expect(store.rooms.withPin('shop', '123456')?.roomId).toBe('a');
      expect(store.rooms.withPin('other', '123456')?.roomId).toBe('b');
      expect(store.rooms.withPin('shop', '000000')).toBeUndefined();
    });

    it('replaces and removes what is there', () => {
      expect(store.rooms.replace(room('a'))).toBe(false);
      store.rooms.create(room('a', { sip: { pin: '123456' } }));
      expect(store.rooms.replace(room('a', { name: 'New' }))).toBe(true);
      expect(store.rooms.find('shop', 'a')?.name).toBe('New');
      expect(store.rooms.withPin('shop', '123456')).toBeUndefined();
      expect(store.rooms.remove('shop', 'a')).toBe(true);
      expect(store.rooms.remove('shop', 'a')).toBe(false);
      expect(store.rooms.find('shop', 'a')).toBeUndefined();
    });

    it('lists the rooms of a project in pages, in the order in which they were made', () => {
      for (const id of ['c', 'a', 'b']) store.rooms.create(room(id));
      store.rooms.create(room('x', { projectId: 'other' }));
      const first = store.rooms.list({ projectId: 'shop', limit: 2 });
      expect(first.rooms.map(({ roomId }) => roomId)).toEqual(['c', 'a']);
      const second = store.rooms.list({ projectId: 'shop', limit: 2, after: first.next! });
      expect(second.rooms.map(({ roomId }) => roomId)).toEqual(['b']);
      expect(second.next).toBeUndefined();
      expect(store.rooms.list({ projectId: 'nobody', limit: 2 })).toEqual({ rooms: [] });
    });

    it('still has the rooms after it was closed and opened again', async ({ skip }) => {
      store.rooms.create(room('a'));
      await reopen(skip);
      expect(store.rooms.find('shop', 'a')).toEqual(room('a'));
    });
  });
}
