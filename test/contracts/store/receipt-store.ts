/** The contract of `ReceiptStore`. */
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../src/base/core/receipt.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { recordOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const receiptOf = (key: string, changes: Partial<Receipt> = {}): Receipt => ({
  projectId: 'project-1',
  key,
  request: 'digest',
  status: 200,
  body: '{"voice_id":"call-1"}',
  createdMs: T0,
  ...changes,
});

export function runReceiptStoreContract(make: MakeStoreHarness): void {
  describe('receipt store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('gives back what was kept, to its own project', async () => {
      await store.receipts.add(receiptOf('a'));
      expect(await store.receipts.find('project-1', 'a')).toEqual(receiptOf('a'));
      expect(await store.receipts.find('project-1', 'b')).toBeUndefined();
      expect(await store.receipts.find('project-2', 'a')).toBeUndefined();
      await store.receipts.add(receiptOf('a', { request: 'another', status: 201, createdMs: T0 + 1 }));
      expect(await store.receipts.find('project-1', 'a')).toMatchObject({ request: 'another', status: 201 });
    });

    it('keeps the receipt of a call with its first write, or nothing of both', async () => {
      await store.calls.commit(writeOf('call-1', [1], { receipt: receiptOf('with') }));
      expect(await store.receipts.find('project-1', 'with')).toEqual(receiptOf('with'));
      await expect(store.calls.commit(writeOf('call-2', [2], { receipt: receiptOf('without') }))).rejects.toThrow();
      expect(await store.receipts.find('project-1', 'without')).toBeUndefined();
    });

    it('keeps the receipt of a broadcast with the last of it', async () => {
      const { projectId } = recordOf('call-1');
      const order = { broadcastId: 'b-1', projectId, name: 'n' } as never;
      const broadcast = { order, state: 'initiated' as const, createdMs: T0, numbers: 1 };
      await store.broadcasts.create(broadcast, [{ phone: '1', key: '1' }] as never, [], receiptOf('all'));
      expect(await store.receipts.find('project-1', 'all')).toEqual(receiptOf('all'));
    });

    it('forgets what is old, and all but the newest of a project', async () => {
      for (let n = 0; n < 1200; n++) await store.receipts.add(receiptOf(`old-${n}`, { createdMs: T0 - 1 }));
      for (let n = 0; n < 5; n++) await store.receipts.add(receiptOf(`new-${n}`, { createdMs: T0 + n }));
      await store.receipts.add(receiptOf('other', { projectId: 'project-2' }));
      expect(await store.receipts.prune({ beforeMs: T0, most: 3 })).toBe(1202);
      const found = await Promise.all([0, 1, 2, 3, 4].map((n) => store.receipts.find('project-1', `new-${n}`)));
      expect(found.map((receipt) => receipt?.key)).toEqual([undefined, undefined, 'new-2', 'new-3', 'new-4']);
      expect(await store.receipts.find('project-2', 'other')).toBeDefined();
    });

    it('still has the receipts after it was closed and opened again', async ({ skip }) => {
      await store.receipts.add(receiptOf('a'));
      await reopen(skip);
      expect(await store.receipts.find('project-1', 'a')).toEqual(receiptOf('a'));
    });
  });
}
