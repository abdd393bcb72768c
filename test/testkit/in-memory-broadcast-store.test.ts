/** The store of rehearsals keeps numbers as the real ones do: what the contract asks of them, and long random lives. */
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { seededRandom } from '../../src/base/core/ids.ts';
import { createInMemoryBroadcastStore } from '../../src/proof/testkit/rehearsal/in-memory-broadcast-store.ts';
import type { BroadcastStore } from '../../src/service/calls/broadcast/broadcast-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { BUSY, broadcastOf, calleesOf } from '../contracts/store/broadcast-fixtures.ts';
import { runRandomly } from '../contracts/store/broadcast-model.ts';
import { describeQueue } from '../contracts/store/broadcast-queue.ts';
import { describeReports } from '../contracts/store/broadcast-reports.ts';
import { T0 } from '../contracts/store/call-fixtures.ts';

describe('the store of a rehearsal', () => {
  let store: BroadcastStore;
  beforeEach(() => {
    store = createInMemoryBroadcastStore(openSqliteStore({ file: ':memory:', clock: systemClock }).broadcasts);
  });

  describeQueue(() => store);
  describeReports(() => store);

  test('agrees with a simple model of it, whatever happens in whatever order', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const id = `b${seed}`;
      await store.create(broadcastOf(id), calleesOf(7), []);
      runRandomly(store, id, { numbers: 7, steps: 60, random: seededRandom(seed) });
    }
  });

  test('lists the reasons in the order of their numbers, whichever ended first', async () => {
    await store.create(broadcastOf('b1'), calleesOf(3), []);
    const settle = (number: number, reason: string) =>
      store.settle('b1', number, { result: { ...BUSY, reason }, atMs: T0 });
    await settle(3, 'Busy');
    await settle(2, 'No Answer');
    await settle(1, 'Busy');
    expect(Object.entries((await store.counts('b1')).reasons)).toEqual([
      ['Busy', 2],
      ['No Answer', 1],
    ]);
  });

  test('keeps what broadcasts are, lists those of a project, and forgets the old', async () => {
    for (const id of ['a1', 'b1', 'a2']) await store.create(broadcastOf(id, { projectId: id[0]! }), calleesOf(2), []);
    await store.change('a1', { state: 'completed', startedMs: T0, endedMs: T0 + 5 }, []);
    expect(await store.find('a1')).toEqual(
      broadcastOf('a1', { projectId: 'a', numbers: 2, state: 'completed', startedMs: T0, endedMs: T0 + 5 }),
    );
    const ids = async (after?: string) =>
      (await store.list({ projectId: 'a', limit: 9, ...(after === undefined ? {} : { after }) })).map(
        ({ order }) => order.broadcastId,
      );
    expect([await ids(), await ids('a2'), await ids('b1')]).toEqual([['a2', 'a1'], ['a1'], []]);
    expect((await store.unfinished()).map(({ order }) => order.broadcastId)).toEqual(['b1', 'a2']);
    await expect(store.create(broadcastOf('b1'), [], [])).rejects.toThrow('there is a broadcast b1');
    expect(await store.prune(T0 + 6)).toBe(1);
    expect(await store.find('a1')).toBeUndefined();
  });

  test('never calls a number of the do-not-call list', async () => {
    expect(await store.doNotCall.add('p', ['2', '1', '2'], T0)).toBe(2);
    expect(await store.doNotCall.list({ projectId: 'p', limit: 9 })).toEqual([
      { key: '1', addedMs: T0 },
      { key: '2', addedMs: T0 },
    ]);
    expect(await store.doNotCall.list({ projectId: 'p', after: '1', limit: 9 })).toEqual([{ key: '2', addedMs: T0 }]);
    expect([await store.doNotCall.has('p', '1'), await store.doNotCall.has('q', '1')]).toEqual([true, false]);
    expect([await store.doNotCall.remove('p', '1'), await store.doNotCall.remove('p', '1')]).toEqual([true, false]);
    expect(await store.doNotCall.count('p')).toBe(1);
  });
});
