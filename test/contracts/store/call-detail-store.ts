/** The contract of `CallDetailStore`. */
import { describe, expect, it } from 'vitest';
import type { CallDetail } from '../../../src/media/rooms/call-detail.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const detail = (cdrId: string, more: Partial<CallDetail> = {}): CallDetail => ({
  ...{ cdrId, projectId: 'shop', roomId: 'a', confNum: '1', atMs: 1000, body: { sip: false } },
  ...more,
});

export function runCallDetailStoreContract(make: MakeStoreHarness): void {
  describe('call detail store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const idsOf = (query: object) =>
      store.callDetails.list({ projectId: 'shop', limit: 10, ...query }).details.map(({ cdrId }) => cdrId);

    it('gives those of a session, of a room, and of a time, in the order in which they were written', async ({
      skip,
    }) => {
      store.callDetails.add(detail('x', { atMs: 2000 }));
      store.callDetails.add(detail('y', { roomId: 'b', confNum: '2' }));
      store.callDetails.add(detail('z', { projectId: 'other' }));
      store.callDetails.add(detail('x', { roomId: 'twice' }));
      await reopen(skip);
      expect(store.callDetails.list({ projectId: 'shop', limit: 1 })).toEqual({
        details: [detail('x', { atMs: 2000 })],
        next: expect.any(Number),
      });
      expect(idsOf({})).toEqual(['x', 'y']);
      expect(idsOf({ roomId: 'b' })).toEqual(['y']);
      expect(idsOf({ confNum: '1' })).toEqual(['x']);
      expect(idsOf({ fromMs: 1001 })).toEqual(['x']);
      expect(idsOf({ beforeMs: 2000 })).toEqual(['y']);
    });

    it('adds the feedback of a participant to the body', async ({ skip }) => {
      store.callDetails.add(detail('x'));
      store.callDetails.add(detail('y'));
      store.callDetails.addFeedback(detail('x'), { rating: 2, text: 'it"s loud' });
      store.callDetails.addFeedback(detail('unknown'), { rating: 5 });
      await reopen(skip);
      const { details } = store.callDetails.list({ projectId: 'shop', limit: 10 });
      expect(details.map(({ body }) => body)).toEqual([
        { sip: false, feedback: { rating: 2, text: 'it"s loud' } },
        { sip: false },
      ]);
    });

    it('forgets those that are too old', async () => {
      store.callDetails.add(detail('old', { atMs: 999 }));
      store.callDetails.add(detail('new', { atMs: 1000 }));
      await store.prune({ callsEndedBeforeMs: 1000, deadBeforeMs: 0 });
      expect(idsOf({})).toEqual(['new']);
    });
  });
}
