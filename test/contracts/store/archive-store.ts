/** The contract of `ArchiveStore`. */
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/media/rooms/archive/archive.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const archive = (confNum: string, more: Partial<Archive> = {}): Archive => ({
  ...{ archiveId: `of ${confNum}`, projectId: 'shop', roomId: 'a', confNum, beganMs: 500, atMs: 1000, state: 'open' },
  ...{ room: { name: 'Daily', ownerRef: 'acme' }, recordings: [], isSingleFile: false },
  ...{ transcoding: { state: 'none' }, transcoded: [] },
  ...more,
});

export function runArchiveStoreContract(make: MakeStoreHarness): void {
  describe('archive store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const listed = (query: object = {}) =>
      store.archives.list({ projectId: 'shop', limit: 10, ...query }).archives.map(({ confNum }) => confNum);

    it('lists those that are closed, in the order in which they were closed', async ({ skip }) => {
      for (const confNum of ['1', '2', '3']) store.archives.put(archive(confNum));
      store.archives.close(archive('2', { state: 'work', atMs: 2000 }));
      store.archives.close(archive('1', { state: 'done', atMs: 3000 }));
      store.archives.close(archive('4', { state: 'done', projectId: 'other' }));
      await reopen(skip);
      expect(listed()).toEqual(['2', '1']);
      expect(listed({ fromMs: 2001 })).toEqual(['1']);
      expect(listed({ confNum: '3' })).toEqual([]);
      const first = store.archives.list({ projectId: 'shop', limit: 1 });
      expect(first.archives).toEqual([archive('2', { state: 'work', atMs: 2000 })]);
      expect(listed({ after: first.next })).toEqual(['1']);
    });

    it('keeps the place of one that changes', () => {
      store.archives.close(archive('1', { state: 'work' }));
      store.archives.close(archive('2', { state: 'done' }));
      store.archives.put(archive('1', { state: 'done', transcoded: ['session.mp4'] }));
      expect(listed()).toEqual(['1', '2']);
      expect(store.archives.find('shop', '1')?.transcoded).toEqual(['session.mp4']);
      expect(store.archives.find('other', '1')).toBeUndefined();
    });

    it('knows those that are not finished, and those that are too old', () => {
      store.archives.put(archive('open', { atMs: 1 }));
      store.archives.close(archive('work', { state: 'work', atMs: 2 }));
      store.archives.close(archive('done', { state: 'done', atMs: 3 }));
      expect(store.archives.unfinished().map(({ confNum }) => confNum)).toEqual(['open', 'work']);
      expect(store.archives.olderThan(4, 1).map(({ confNum }) => confNum)).toEqual(['work']);
      expect(store.archives.olderThan(3, 9).map(({ confNum }) => confNum)).toEqual(['work']);
      store.archives.remove('work');
      store.archives.remove('unknown');
      expect(listed()).toEqual(['done']);
    });
  });
}
