/** What every `Outbox` must do, whatever keeps it. Run by each adapter's test. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../core/delivery.ts';
import type { Standing } from '../observers/webhooks/outbox.ts';
import type { Store } from '../store/store.ts';
import type { StoreHarness } from './book-contract.ts';
import { deliveryOf, T0, writeOf } from './call-writes.ts';

const ids = (standings: readonly Standing[]): string[] => standings.map(({ id }) => id);

export function runOutboxContract(make: () => Promise<StoreHarness>): void {
  describe('outbox contract', () => {
    let harness: StoreHarness;
    let store: Store;
    const lastSeq = new Map<string, number>();

    /** Commits the deliveries with the next decision of their call. */
    const put = (...deliveries: Delivery[]): Promise<void> => {
      const callId = deliveries[0]!.orderKey;
      const seq = (lastSeq.get(callId) ?? 0) + 1;
      lastSeq.set(callId, seq);
      return store.book.commit(writeOf(callId, [seq], { deliveries }));
    };

    beforeEach(async () => {
      lastSeq.clear();
      harness = await make();
      store = await harness.open();
    });
    afterEach(() => store.close());

    it('puts deliveries in line in the order of their commits', async () => {
      await Promise.all([
        put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a')),
        put(deliveryOf('b1', 'b')),
        put(deliveryOf('a3', 'a')),
      ]);
      expect(ids(store.outbox.line('a', 9))).toEqual(['a1', 'a2', 'a3']);
      expect(ids(store.outbox.line('a', 2))).toEqual(['a1', 'a2']);
      expect(ids(store.outbox.line('b', 9))).toEqual(['b1']);
      expect(store.outbox.line('c', 9)).toEqual([]);
    });

    it('tells what a delivery is and where it stands', async () => {
      await put(deliveryOf('a1', 'a', { url: 'https://x.example/y?z=1', payload: { é: [1, null, 'x'] } }));
      expect(store.outbox.line('a', 1)).toEqual([
        {
          id: 'a1',
          projectId: 'project-1',
          orderKey: 'a',
          url: 'https://x.example/y?z=1',
          createdMs: T0,
          attempts: 0,
          dueMs: T0,
          inLine: true,
        },
      ]);
      expect(store.outbox.read('a1')).toEqual({ ...store.outbox.line('a', 1)[0], body: '{"é":[1,null,"x"]}' });
      expect(store.outbox.read('a2')).toBeUndefined();
    });

    it('tells its listeners after each commit what came in, in order, and no more when they leave', async () => {
      const told: string[] = [];
      const leave = store.outbox.subscribe((committed) => {
        // Told when it can be read, not before.
        for (const { id } of committed) told.push(store.outbox.read(id) ? id : `${id} unknown`);
      });
      await Promise.all([put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a')), put(deliveryOf('b1', 'b'))]);
      expect(told).toEqual(['a1', 'a2', 'b1']);
      await expect(store.book.commit(writeOf('a', [7], { deliveries: [deliveryOf('a7', 'a')] }))).rejects.toThrow();
      leave();
      await put(deliveryOf('b2', 'b'));
      expect(told).toEqual(['a1', 'a2', 'b1']);
    });

    it('forgets what was delivered, and the next in line comes up', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.delivered('a1');
      expect(store.outbox.read('a1')).toBeUndefined();
      expect(ids(store.outbox.line('a', 9))).toEqual(['a2']);
      await store.outbox.delivered('a1');
      await store.outbox.delivered('a2');
      expect(store.outbox.startable()).toEqual([]);
    });

    it('keeps attempts and due time of a delivery, and its place', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.postpone('a1', { attempts: 3, dueMs: T0 + 500 });
      expect(store.outbox.line('a', 1)).toMatchObject([{ id: 'a1', attempts: 3, dueMs: T0 + 500, inLine: true }]);
    });

    it('names as startable the first of each line and what stands beside', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await put(deliveryOf('b1', 'b'), deliveryOf('b2', 'b'));
      await store.outbox.stepAside('a1');
      expect(ids(store.outbox.startable())).toEqual(['a1', 'a2', 'b1']);
      expect(store.outbox.read('a1')).toMatchObject({ inLine: false });
      expect(ids(store.outbox.line('a', 9))).toEqual(['a2', 'a3']);
      await store.outbox.delivered('a1');
      expect(ids(store.outbox.startable())).toEqual(['a2', 'b1']);
    });

    it('buries: out of the line, not to be sent, kept for its project', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await put(deliveryOf('b1', 'b', { projectId: 'project-2' }));
      await store.outbox.bury('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      await store.outbox.bury('b1', { deadMs: T0 + 1, deathCause: 'gone' });
      await store.outbox.bury('a2', { deadMs: T0 + 2, deathCause: 'refused' });
      expect(store.outbox.startable()).toEqual([]);
      expect(store.outbox.read('a1')).toBeUndefined();
      expect(ids(store.outbox.dead('project-1', 9))).toEqual(['a2', 'a1']);
      expect(ids(store.outbox.dead('project-1', 1))).toEqual(['a2']);
      expect(store.outbox.deadOne('b1')).toMatchObject({ projectId: 'project-2', deathCause: 'gone', deadMs: T0 + 1 });
      expect(store.outbox.deadOne('b1')!.body).toContain('"voice_id":"b"');
    });

    it('the dead are not delivered, postponed or buried again', async () => {
      await put(deliveryOf('a1', 'a'));
      await store.outbox.bury('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      await store.outbox.delivered('a1');
      await store.outbox.postpone('a1', { attempts: 9, dueMs: 0 });
      await store.outbox.stepAside('a1');
      await store.outbox.bury('a1', { deadMs: T0 + 9, deathCause: 'gone' });
      expect(store.outbox.deadOne('a1')).toMatchObject({ attempts: 0, deadMs: T0 + 1, deathCause: 'exhausted' });
    });

    it('revives the dead, beside the line and as new', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.postpone('a1', { attempts: 9, dueMs: T0 + 9 });
      expect(await store.outbox.revive('a1', T0)).toBe(false);
      await store.outbox.bury('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      expect(await store.outbox.revive('a1', T0 + 77)).toBe(true);
      expect(await store.outbox.revive('a1', T0 + 78)).toBe(false);
      expect(store.outbox.read('a1')).toMatchObject({ attempts: 0, dueMs: T0 + 77, inLine: false });
      expect(store.outbox.deadOne('a1')).toBeUndefined();
      expect(ids(store.outbox.startable())).toEqual(['a1', 'a2']);
    });

    it('counts what is still to be sent and what is dead', async () => {
      expect(store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('b1', 'b'));
      await store.outbox.stepAside('a1');
      await store.outbox.bury('b1', { deadMs: T0, deathCause: 'gone' });
      expect(store.outbox.counts()).toEqual({ waiting: 2, dead: 1 });
      await store.outbox.delivered('a1');
      expect(store.outbox.counts()).toEqual({ waiting: 1, dead: 1 });
    });

    it('refuses an id that is known already', async () => {
      await put(deliveryOf('a1', 'a'));
      await expect(store.book.commit(writeOf('b', [1], { deliveries: [deliveryOf('a1', 'b')] }))).rejects.toThrow();
      expect(ids(store.outbox.startable())).toEqual(['a1']);
    });

    it('remembers disabled URLs, each for its project', async () => {
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      await store.outbox.disableUrl('project-1', 'http://x/a', T0 + 1);
      expect(store.outbox.isDisabled('project-1', 'http://x/a')).toBe(true);
      expect(store.outbox.isDisabled('project-1', 'http://x/b')).toBe(false);
      expect(store.outbox.isDisabled('project-2', 'http://x/a')).toBe(false);
      await store.outbox.disableUrl('project-1', 'http://x/z', T0 + 2);
      await store.outbox.disableUrl('project-11', 'http://x/a', T0);
      expect(store.outbox.disabledUrls('project-1')).toEqual([
        { url: 'http://x/z', disabledMs: T0 + 2 },
        { url: 'http://x/a', disabledMs: T0 + 1 },
      ]);
      await store.outbox.enableUrl('project-1', 'http://x/a');
      expect(store.outbox.isDisabled('project-1', 'http://x/a')).toBe(false);
    });

    it('forgets old dead deliveries and old disabled URLs, and nothing that is still to be sent', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await store.outbox.bury('a1', { deadMs: T0, deathCause: 'exhausted' });
      await store.outbox.bury('a2', { deadMs: T0 + 10, deathCause: 'exhausted' });
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      await store.outbox.disableUrl('project-1', 'http://x/b', T0 + 10);
      const forgotten = await store.forget({ callsEndedBeforeMs: 0, deadBeforeMs: T0 + 10 });
      expect(forgotten).toMatchObject({ calls: 0, deliveries: 1, urls: 1 });
      expect(ids(store.outbox.dead('project-1', 9))).toEqual(['a2']);
      expect(ids(store.outbox.startable())).toEqual(['a3']);
      expect(store.outbox.isDisabled('project-1', 'http://x/b')).toBe(true);
    });

    it('still has lines, dead and disabled after it was closed and opened again', async ({ skip }) => {
      if (!harness.reopen) return skip('this store keeps nothing beyond its process');
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await put(deliveryOf('b1', 'b'));
      await store.outbox.postpone('a1', { attempts: 2, dueMs: T0 + 9 });
      await store.outbox.stepAside('a1');
      await store.outbox.bury('b1', { deadMs: T0, deathCause: 'gone' });
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      store = await harness.reopen(store);
      expect(store.outbox.startable()).toMatchObject([
        { id: 'a1', attempts: 2, dueMs: T0 + 9, inLine: false },
        { id: 'a2', inLine: true },
      ]);
      expect(ids(store.outbox.line('a', 9))).toEqual(['a2', 'a3']);
      expect(ids(store.outbox.dead('project-1', 9))).toEqual(['b1']);
      expect(store.outbox.isDisabled('project-1', 'http://x/a')).toBe(true);
    });
  });
}
