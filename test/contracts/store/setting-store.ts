/** The contract of `SettingStore`. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

export function runSettingStoreContract(make: MakeStoreHarness): void {
  describe('setting store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('keeps one of each key in a kind, in the order in which they came first', async () => {
      await store.settings.put({ kind: 'number', key: '2', value: { flow: 'b' } });
      await store.settings.put({ kind: 'number', key: '1', value: { flow: 'a' } });
      await store.settings.put({ kind: 'user', key: '1', value: 'other' });
      await store.settings.put({ kind: 'number', key: '2', value: { flow: 'c' } });
      expect(store.settings.list('number')).toEqual([
        { kind: 'number', key: '2', value: { flow: 'c' } },
        { kind: 'number', key: '1', value: { flow: 'a' } },
      ]);
      expect(store.settings.list('user')).toEqual([{ kind: 'user', key: '1', value: 'other' }]);
      expect(store.settings.list('route')).toEqual([]);
    });

    it('finds one by its kind and key', async () => {
      await store.settings.put({ kind: 'draft', key: 'menu ann', value: { base: 'a' } });
      expect(store.settings.find('draft', 'menu ann')).toEqual({ base: 'a' });
      expect(store.settings.find('comment', 'menu ann')).toBeUndefined();
      await store.settings.remove('draft', 'menu ann');
      expect(store.settings.find('draft', 'menu ann')).toBeUndefined();
    });

    it('keeps kinds apart whose names begin alike', async () => {
      await store.settings.put({ kind: 'administrator', key: 'bea', value: { role: 'read' } });
      await store.settings.put({ kind: 'administrator-seen', key: 'bea', value: 7 });
      expect(store.settings.list('administrator').map(({ value }) => value)).toEqual([{ role: 'read' }]);
      await store.settings.remove('administrator', 'bea');
      expect(store.settings.list('administrator-seen')).toEqual([{ kind: 'administrator-seen', key: 'bea', value: 7 }]);
    });

    it('forgets what is removed, and minds no key that is not there', async () => {
      await store.settings.put({ kind: 'number', key: '1', value: 1 });
      await store.settings.put({ kind: 'user', key: '1', value: 2 });
      await store.settings.remove('number', '1');
      await store.settings.remove('number', '7');
      expect(store.settings.list('number')).toEqual([]);
      expect(store.settings.list('user')).toHaveLength(1);
    });

    it('returns copies of its values', async () => {
      const value = { flow: 'a' };
      await store.settings.put({ kind: 'number', key: '1', value });
      value.flow = 'changed';
      expect(store.settings.list('number')[0]!.value).toEqual({ flow: 'a' });
    });

    it('still has all after it was closed and opened again', async ({ skip }) => {
      await store.settings.put({ kind: 'schedule', key: 'office', value: { open: [] } });
      await reopen(skip);
      expect(store.settings.list('schedule')).toEqual([{ kind: 'schedule', key: 'office', value: { open: [] } }]);
    });
  });
}
