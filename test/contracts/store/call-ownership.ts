/** Contract of `CallStore`: ownership of a call, and refused writes of other nodes. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Fenced } from '../../../src/base/core/ownership.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { deliveryOf, recordOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

export function runCallOwnershipContract(make: MakeStoreHarness): void {
  describe('call ownership contract', () => {
    let store: Store;
    let arrived: string[];
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    beforeEach(() => {
      arrived = [];
      store.outbox.subscribe((deliveries) => arrived.push(...deliveries.map(({ id }) => id)));
    });
    const ended = { record: recordOf('call-1', { state: 'disconnected', endedMs: T0 + 9 }) };

    it('belongs to the life that wrote the call first, under fence 1', async () => {
      await store.calls.commit(writeOf('call-1', [1]));
      expect(await store.calls.ownership('call-1')).toEqual({ owner: 'life-1', fence: 1, isEnded: false });
      await store.calls.commit(writeOf('call-1', [2], ended));
      expect(await store.calls.ownership('call-1')).toEqual({ owner: 'life-1', fence: 1, isEnded: true });
      expect(await store.calls.ownership('nobody')).toBeUndefined();
    });

    it('lists the live calls of a life, the oldest first, and the lives that own any', async () => {
      const begun = [
        ['young', 'life-1', 5],
        ['old', 'life-1', 1],
        ['theirs', 'life-2', 2],
      ] as const;
      for (const [callId, owner, atMs] of begun) {
        await store.calls.commit(writeOf(callId, [1], { owner, record: recordOf(callId, { startedMs: T0 + atMs }) }));
      }
      await store.calls.commit(
        writeOf('over', [1], { owner: 'life-3', record: recordOf('over', { endedMs: T0 + 9 }) }),
      );
      expect(await store.calls.ownedBy('life-1')).toEqual(['old', 'young']);
      expect(await store.calls.ownedBy('life-3')).toEqual([]);
      expect((await store.calls.owners()).sort()).toEqual(['life-1', 'life-2']);
    });

    it('goes to one of several that adopt the call after the same fence', async () => {
      await store.calls.commit(writeOf('call-1', [1]));
      const lives = ['life-2', 'life-3', 'life-4'];
      const fences = await Promise.all(lives.map((owner) => store.calls.adopt('call-1', { owner, seenFence: 1 })));
      expect(fences.filter((fence) => fence !== undefined)).toEqual([2]);
      const owner = lives[fences.indexOf(2)]!;
      expect(await store.calls.ownership('call-1')).toEqual({ owner, fence: 2, isEnded: false });
      expect([await store.calls.ownedBy('life-1'), await store.calls.ownedBy(owner)]).toEqual([[], ['call-1']]);
      expect(await store.calls.adopt('call-1', { owner: 'life-5', seenFence: 2 })).toBe(3);
    });

    it('is not taken over for an ended or unknown call', async () => {
      await store.calls.commit(writeOf('call-1', [1], ended));
      for (const callId of ['call-1', 'nobody']) {
        expect(await store.calls.adopt(callId, { owner: 'life-2', seenFence: 1 })).toBeUndefined();
      }
      expect(await store.calls.ownership('call-1')).toEqual({ owner: 'life-1', fence: 1, isEnded: true });
    });

    it.each([
      ['the next entry', [3]],
      ['one that is there already', [2]],
      ['one after a gap', [5]],
      ['none', []],
    ])('refuses a write of the earlier owner with %s as fenced, and writes and delivers nothing', async (_, seqs) => {
      await store.calls.commit(writeOf('call-1', [1, 2]));
      await store.calls.adopt('call-1', { owner: 'life-2', seenFence: 1 });
      const late = writeOf('call-1', seqs, { ...ended, deliveries: [deliveryOf('late', 'call-1')] });
      await expect(store.calls.commit(late)).rejects.toBeInstanceOf(Fenced);
      expect(await store.calls.journal('call-1')).toHaveLength(2);
      expect((await store.calls.call('call-1'))?.endedMs).toBeUndefined();
      expect(arrived).toEqual([]);
      const next = writeOf('call-1', [3], { owner: 'life-2', fence: 2, deliveries: [deliveryOf('d1', 'call-1')] });
      await store.calls.commit(next);
      expect([(await store.calls.journal('call-1')).length, arrived]).toEqual([3, ['d1']]);
    });

    it('refuses all writes of the earlier owner that are on their way as fenced', async () => {
      await store.calls.commit(writeOf('call-1', [1]));
      const settled = await Promise.allSettled([
        store.calls.adopt('call-1', { owner: 'life-2', seenFence: 1 }),
        ...[2, 3].map((seq) => store.calls.commit(writeOf('call-1', [seq]))),
        store.calls.commit(writeOf('call-1', [2], { owner: 'life-2', fence: 2 })),
        store.calls.commit(writeOf('other', [1])),
      ]);
      expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, false, false, true, true]);
      for (const refused of settled.slice(1, 3)) expect(refused).toMatchObject({ reason: expect.any(Fenced) });
      expect(await store.calls.journal('call-1')).toHaveLength(2);
    });

    it('takes the same write twice and does it once, its deliveries included', async () => {
      const first = writeOf('call-1', [1, 2], { deliveries: [deliveryOf('d1', 'call-1')] });
      const second = writeOf('call-1', [3], { deliveries: [deliveryOf('d2', 'call-1')] });
      for (const write of [first, first, second, second, first]) await store.calls.commit(write);
      expect((await store.calls.journal('call-1')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect((await store.calls.checkpoint('call-1'))?.visit).toBe(3);
      expect(arrived).toEqual(['d1', 'd2']);
    });

    it('takes the same write twice at once, and the ones after it', async () => {
      const same = () => writeOf('call-1', [1], { deliveries: [deliveryOf('d1', 'call-1')] });
      await Promise.all([same(), same(), writeOf('call-1', [2])].map((write) => store.calls.commit(write)));
      expect([(await store.calls.journal('call-1')).length, arrived]).toEqual([2, ['d1']]);
    });

    it('is kept when the store is opened again', async ({ skip }) => {
      await store.calls.commit(writeOf('call-1', [1]));
      await store.calls.adopt('call-1', { owner: 'life-2', seenFence: 1 });
      await reopen(skip);
      expect(await store.calls.ownership('call-1')).toEqual({ owner: 'life-2', fence: 2, isEnded: false });
      await expect(store.calls.commit(writeOf('call-1', [2]))).rejects.toBeInstanceOf(Fenced);
    });
  });
}
