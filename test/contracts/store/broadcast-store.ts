/**
 * The contract of `BroadcastStore`. Neighbours: `broadcast-queue.ts`, `broadcast-reports.ts`, and `broadcast-model.ts`,
 * which compares long random sequences of changes with a simple model.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import type { Callee } from '../../../src/service/calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import {
  ANSWERED,
  attemptOf,
  type BroadcastActions,
  BUSY,
  broadcastActions,
  broadcastOf,
  calleesOf,
  numbersOf,
  STOPPED,
} from './broadcast-fixtures.ts';
import { runRandomly } from './broadcast-model.ts';
import { describeQueue } from './broadcast-queue.ts';
import { describeReports } from './broadcast-reports.ts';
import { deliveryOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

export function runBroadcastStoreContract(make: MakeStoreHarness): void {
  describe('broadcast store contract', () => {
    let store: Store;
    let broadcasts: BroadcastStore;
    let actions: BroadcastActions;
    const reopen = openForEach(make, (opened) => {
      store = opened;
      broadcasts = store.broadcasts;
      actions = broadcastActions(broadcasts);
    });

    describe('broadcasts', () => {
      it('gives back what was written, with as many numbers as there were', async () => {
        const whole = broadcastOf('b1', { state: 'stopped', startedMs: T0 + 1, endedMs: T0 + 2, error: 'no "line"' });
        await broadcasts.create(whole, calleesOf(3), []);
        await actions.create('b2', 0);
        expect(await broadcasts.find('b1')).toEqual({ ...whole, numbers: 3 });
        expect(await broadcasts.find('b2')).toEqual(broadcastOf('b2', { numbers: 0 }));
        expect(await broadcasts.find('b3')).toBeUndefined();
      });

      it('gives out copies, and keeps none of what it was given', async () => {
        const mine = broadcastOf('b1');
        const callees = [{ phone: '1', input: { name: 'Ada' } }];
        const done = broadcasts.create(mine, callees, []);
        mine.order.name = 'changed';
        await done;
        callees[0]!.input.name = 'changed';
        (await broadcasts.find('b1'))!.order.from = 'changed';
        expect((await broadcasts.find('b1'))!.order).toEqual(broadcastOf('b1').order);
        expect((await actions.row(1)).input).toEqual({ name: 'Ada' });
      });

      it('lists those of a project, the newest first, in pages', async () => {
        for (const id of ['b1', 'b2', 'x1', 'b3', 'b4']) await actions.create(id, 1, { projectId: id[0] });
        const list = async (limit: number, after?: string) =>
          (await broadcasts.list({ projectId: 'b', limit, ...(after === undefined ? {} : { after }) })).map(
            ({ order }) => order.broadcastId,
          );
        expect(await list(9)).toEqual(['b4', 'b3', 'b2', 'b1']);
        expect([await list(3), await list(3, 'b2'), await list(3, 'b1')]).toEqual([['b4', 'b3', 'b2'], ['b1'], []]);
        // An unknown cursor or one of another project gives an empty page.
        expect([await list(9, 'nobody'), await list(9, 'x1')]).toEqual([[], []]);
      });

      it('writes changes of state, and knows which are not over', async () => {
        for (const id of ['b1', 'b2', 'b3']) await actions.create(id, 1);
        await broadcasts.change('b2', { state: 'running', startedMs: T0 + 5 }, []);
        await broadcasts.change('b1', { state: 'stopped' }, []);
        await broadcasts.change('b2', { state: 'failed', endedMs: T0 + 9, error: 'no flow' }, []);
        expect(await broadcasts.find('b2')).toEqual(
          broadcastOf('b2', { state: 'failed', startedMs: T0 + 5, endedMs: T0 + 9, error: 'no flow', numbers: 1 }),
        );
        expect((await broadcasts.unfinished()).map(({ order, state }) => [order.broadcastId, state])).toEqual([
          ['b1', 'stopped'],
          ['b3', 'initiated'],
        ]);
      });

      it('refuses a second one of the same id, and a change of one that is not there', async () => {
        await actions.create('b1', 2);
        await expect(actions.create('b1', 5)).rejects.toThrow();
        expect((await broadcasts.find('b1'))!.numbers).toBe(2);
        await expect(broadcasts.change('nobody', { state: 'running' }, [deliveryOf('d1', 'nobody')])).rejects.toThrow();
        expect(await store.outbox.find('d1')).toBeUndefined();
      });

      it('keeps one of two that are written under one id at the same time', async () => {
        const written = await Promise.allSettled([actions.create('b1', 5000), actions.create('b1', 5000)]);
        expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect((await broadcasts.counts('b1')).numbers).toBe(5000);
        expect(await broadcasts.report({ broadcastId: 'b1', limit: 9999 })).toHaveLength(5000);
      });

      it('knows nothing of one that is not there', async () => {
        expect(await broadcasts.due('b1', T0, 9)).toEqual([]);
        expect(await broadcasts.nextDueMs('b1')).toBeUndefined();
        expect(await actions.claim(1)).toBe(false);
        await broadcasts.release('b1', 1);
        await actions.requeue(1, T0);
        await broadcasts.settle('b1', 1, { result: BUSY, atMs: T0 });
        expect(await broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 })).toBe(0);
        expect([await broadcasts.calling('b1', 9), await broadcasts.report({ broadcastId: 'b1', limit: 9 })]).toEqual([
          [],
          [],
        ]);
        await expect(broadcasts.counts('b1')).rejects.toThrow('no broadcast b1');
      });
    });

    describe('being written', () => {
      it('is visible only after all its numbers are stored, and lets others write in between', async () => {
        const seen = new Set<string>();
        const look = async (): Promise<void> => {
          const shown = [
            await broadcasts.find('b1'),
            ...(await broadcasts.unfinished()),
            ...(await broadcasts.list({ projectId: 'project-1', limit: 9 })),
          ];
          seen.add(
            `${shown.filter(Boolean).length} ${(await broadcasts.due('b1', T0, 9)).length} ${await actions.claim(1)}`,
          );
        };
        const looks: Promise<void>[] = [];
        function* watched(): Generator<Callee> {
          for (const callee of calleesOf(8000)) {
            if (Number(callee.phone) % 1000 === 0) looks.push(look());
            yield callee;
          }
        }
        let written = 0;
        const creating = actions.create('b1', watched());
        let over = false;
        void creating.then(() => {
          over = true;
        });
        for (; !over; await turn()) await store.calls.commit(writeOf(`call-${written++}`, [1]));
        await Promise.all(looks);
        expect([...seen]).toEqual(['0 0 false']);
        expect(written).toBeGreaterThan(3);
        expect(await broadcasts.counts('b1')).toMatchObject({ numbers: 8000, queued: 8000 });
      });

      it('leaves nothing behind when its numbers cannot be had', async () => {
        function* broken(): Generator<Callee> {
          yield* calleesOf(5000);
          throw new Error('torn table');
        }
        const told: string[] = [];
        store.outbox.subscribe((deliveries) => told.push(...deliveries.map(({ id }) => id)));
        const creating = broadcasts.create(broadcastOf('b1'), broken(), [deliveryOf('d1', 'b1')]);
        await expect(creating).rejects.toThrow('torn table');
        expect([await broadcasts.find('b1'), await store.outbox.find('d1'), told]).toEqual([undefined, undefined, []]);
        await actions.create('b1', 2);
        expect(numbersOf(await broadcasts.report({ broadcastId: 'b1', limit: 9 }))).toEqual([1, 2]);
      });
    });

    describe('deliveries', () => {
      it('appends deliveries to their lines with their state, and announces them afterwards', async () => {
        const told: string[] = [];
        const looks: Promise<void>[] = [];
        const look = async (id: string): Promise<void> => {
          const found = await broadcasts.find('b1');
          told.push(`${id} ${found?.state} ${(await store.outbox.find(id)) !== undefined}`);
        };
        store.outbox.subscribe((deliveries) => {
          for (const { id } of deliveries) looks.push(look(id));
        });
        await broadcasts.create(broadcastOf('b1'), calleesOf(1), [deliveryOf('d1', 'b1'), deliveryOf('d2', 'b1')]);
        await Promise.all(looks);
        await broadcasts.change('b1', { state: 'running' }, []);
        await broadcasts.change('b1', { state: 'completed', endedMs: T0 }, [deliveryOf('d3', 'b1')]);
        await Promise.all(looks);
        expect(told).toEqual(['d1 initiated true', 'd2 initiated true', 'd3 completed true']);
        expect((await store.outbox.headOfLine('b1', 9)).map(({ id }) => id)).toEqual(['d1', 'd2', 'd3']);
      });

      it('leaves everything unchanged if its numbers cannot be queued', async () => {
        await broadcasts.create(broadcastOf('b1'), calleesOf(1), [deliveryOf('d1', 'b1')]);
        const told: unknown[] = [];
        store.outbox.subscribe((deliveries) => told.push(...deliveries));
        const twice = [deliveryOf('d2', 'b1'), deliveryOf('d1', 'b1')];
        await expect(broadcasts.change('b1', { state: 'completed', endedMs: T0 }, twice)).rejects.toThrow();
        await expect(broadcasts.create(broadcastOf('b2'), calleesOf(1), twice)).rejects.toThrow();
        expect(await broadcasts.find('b1')).toEqual(broadcastOf('b1', { numbers: 1 }));
        expect([await broadcasts.find('b2'), await store.outbox.find('d2'), told]).toEqual([undefined, undefined, []]);
      });
    });

    describeQueue(() => broadcasts);
    describeReports(() => broadcasts);

    describe('forgetting', () => {
      it('takes broadcasts that ended long ago with all that belongs to them, and no others', async () => {
        await actions.create('recent', 3, { state: 'completed', endedMs: T0 + 100 });
        await actions.create('live', 3);
        await actions.create('old', 3000, { state: 'completed', endedMs: T0 + 99 });
        await broadcasts.settle('old', 1, { result: BUSY, atMs: T0 });
        expect((await broadcasts.counts('old')).done).toBe(1);
        expect(await broadcasts.prune(T0 + 100)).toBe(1);
        expect([
          await broadcasts.find('old'),
          (await broadcasts.find('recent'))?.numbers,
          (await broadcasts.find('live'))?.numbers,
        ]).toEqual([undefined, 3, 3]);
        expect([await broadcasts.report({ broadcastId: 'old', limit: 9 }), await broadcasts.due('old', T0, 9)]).toEqual(
          [[], []],
        );
        expect(await broadcasts.prune(T0 + 100)).toBe(0);
        // Another broadcast may reuse the row id: none of the old data is found there.
        await actions.create('old', 2);
        expect(await broadcasts.counts('old')).toMatchObject({ numbers: 2, queued: 2, done: 0, reasons: {} });
      });

      it('is part of what a store forgets, and leaves alone what is being written', async () => {
        await actions.create('old', 2, { state: 'completed', endedMs: T0 });
        const creating = actions.create('b1', 5000);
        expect(await store.prune({ callsEndedBeforeMs: T0 + 1, deadBeforeMs: 0 })).toMatchObject({ broadcasts: 1 });
        await creating;
        expect(await broadcasts.report({ broadcastId: 'b1', limit: 9999 })).toHaveLength(5000);
      });

      it('lets others write in between', async () => {
        await actions.create('old', 8000, { state: 'completed', endedMs: T0 });
        let over = false;
        const forgetting = broadcasts.prune(T0 + 1).then(() => {
          over = true;
        });
        let written = 0;
        for (; !over; await turn()) await store.calls.commit(writeOf(`call-${written++}`, [1]));
        await forgetting;
        expect(written).toBeGreaterThan(3);
      });
    });

    describe('do not call', () => {
      it('keeps the numbers of each project', async () => {
        const list = broadcasts.doNotCall;
        expect(await list.add('p1', ['331', '332', '331', 'user:ada'], T0)).toBe(3);
        expect(await list.add('p1', ['332', '333'], T0 + 1.5)).toBe(1);
        expect(await list.add('p2', ["'; --"], T0)).toBe(1);
        expect(await list.add('p2', [], T0)).toBe(0);
        expect([await list.has('p1', '331'), await list.has('p2', '331'), await list.has('p1', '33')]).toEqual([
          true,
          false,
          false,
        ]);
        expect([await list.count('p1'), await list.count('p2'), await list.count('p3')]).toEqual([4, 1, 0]);
        expect([
          await list.remove('p1', '331'),
          await list.remove('p1', '331'),
          await list.remove('p2', '332'),
        ]).toEqual([true, false, false]);
        expect((await list.list({ projectId: 'p1', limit: 2 })).map(({ key }) => key)).toEqual(['332', '333']);
        expect(await list.list({ projectId: 'p1', after: '333', limit: 2 })).toEqual([
          { key: 'user:ada', addedMs: T0 },
        ]);
        expect((await list.list({ projectId: 'p2', limit: 9 })).map(({ key }) => key)).toEqual(["'; --"]);
      });

      it('is not forgotten in time', async () => {
        await broadcasts.doNotCall.add('p1', ['331'], 0);
        await store.prune({ callsEndedBeforeMs: T0, deadBeforeMs: T0 });
        expect(await broadcasts.doNotCall.has('p1', '331')).toBe(true);
      });
    });

    it('agrees with a simple model of it, whatever happens in whatever order', async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const id = `b${seed}`;
        await actions.create(id, 7);
        await runRandomly(broadcasts, id, { numbers: 7, steps: 60, random: seededRandom(seed) });
      }
    });

    it('still has everything after it was closed and opened again', async ({ skip }) => {
      await broadcasts.create(broadcastOf('b1'), calleesOf(4), [deliveryOf('d1', 'b1')]);
      await actions.claim(1);
      await broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
      await actions.claim(2);
      await actions.requeue(2, T0 + 500);
      await actions.claim(3);
      await broadcasts.change('b1', { state: 'running', startedMs: T0 }, []);
      await broadcasts.doNotCall.add('p1', ['331'], T0);
      const all = async () => [
        await broadcasts.find('b1'),
        await broadcasts.counts('b1'),
        await broadcasts.report({ broadcastId: 'b1', limit: 9 }),
        await broadcasts.due('b1', T0 + 500, 9),
        await broadcasts.calling('b1', 9),
        await broadcasts.doNotCall.list({ projectId: 'p1', limit: 9 }),
        await store.outbox.find('d1'),
      ];
      const before = await all();
      await reopen(skip);
      expect(await all()).toEqual(before);
      expect(await actions.claim(3)).toBe(false);
      expect(await actions.claim(4)).toBe(true);
    });
  });
}
