/** The contract of `ChangeStore`. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

export function runChangeStoreContract(make: MakeStoreHarness): void {
  describe('change store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('lists the latest changes first, as many as are wanted', () => {
      store.changes.add({ atMs: 1, who: 'ann', what: 'made it', after: 'a' });
      store.changes.add({ atMs: 2, who: 'bob', what: 'removed it', before: 'a' });
      expect(store.changes.list({ limit: 10 })).toEqual([
        { changeNo: 2, atMs: 2, who: 'bob', what: 'removed it', before: 'a' },
        { changeNo: 1, atMs: 1, who: 'ann', what: 'made it', after: 'a' },
      ]);
      expect(store.changes.list({ limit: 1 })).toMatchObject([{ who: 'bob' }]);
    });

    it('continues before a given change, whatever was added since', () => {
      for (let at = 1; at <= 5; at++) store.changes.add({ atMs: at, who: 'ann', what: 'changed it' });
      const { changeNo } = store.changes.list({ limit: 2 }).at(-1)!;
      store.changes.add({ atMs: 6, who: 'bob', what: 'changed it too' });
      expect(store.changes.list({ limit: 2, beforeNo: changeNo }).map(({ atMs }) => atMs)).toEqual([3, 2]);
    });

    it('keeps the latest 10,000', () => {
      for (let at = 0; at < 10_003; at++) store.changes.add({ atMs: at, who: 'ann', what: 'changed it' });
      const kept = store.changes.list({ limit: 20_000 });
      expect([kept.length, kept.at(-1)?.atMs, kept[0]?.atMs]).toEqual([10_000, 3, 10_002]);
    });

    it('still has them after it was closed and opened again', async ({ skip }) => {
      store.changes.add({ atMs: 1, who: 'ann', what: 'made it' });
      await reopen(skip);
      expect(store.changes.list({ limit: 10 })).toEqual([{ changeNo: 1, atMs: 1, who: 'ann', what: 'made it' }]);
    });
  });
}
