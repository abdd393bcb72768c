/** Broadcasts in SQLite beyond the contract: recovery after a kill, and the cost of 100,000 numbers. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { ANSWERED, attemptOf, BUSY, broadcastOf, calleesOf, phoneOf } from '../contracts/store/broadcast-fixtures.ts';
import { T0 } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'callweave-broadcasts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clock = new VirtualClock(T0);

describe('a process that is killed', () => {
  const file = join(folder, 'killed', 'callweave.db');
  const source = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path));
  /** Carries on a broadcast, and dies in the middle of writing the next one. */
  const program = `
    import { openSqliteStore } from ${source('service/store/sqlite/store.ts')};
    import { attemptOf, BUSY, broadcastOf, calleesOf } from ${source('../test/contracts/store/broadcast-fixtures.ts')};
    import { deliveryOf } from ${source('../test/contracts/store/call-fixtures.ts')};
    const { broadcasts } = openSqliteStore({ file: ${JSON.stringify(file)}, clock: { now: () => 0 } });
    await broadcasts.create(broadcastOf('whole'), calleesOf(3), [deliveryOf('d1', 'whole')]);
    broadcasts.claim('whole', 1, { callId: 'call-1', atMs: 1 });
    broadcasts.settle('whole', 1, { result: BUSY, atMs: 2, attempt: attemptOf('call-1') });
    broadcasts.change('whole', { state: 'running' }, [deliveryOf('d2', 'whole')]);
    broadcasts.doNotCall.add('p1', ['331'], 1);
    function* deadly() {
      yield* calleesOf(5000);
      broadcasts.claim('whole', 2, { callId: 'call-2', atMs: 3 });
      process.kill(process.pid, 'SIGKILL');
    }
    await broadcasts.create(broadcastOf('half'), deadly(), [deliveryOf('d3', 'half')]);`;

  it('leaves all that was done, and nothing of what was half done', async () => {
    const died = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      encoding: 'utf8',
    });
    expect([died.signal, died.stderr.replace(/.*ExperimentalWarning.*\n.*\n/, '')]).toEqual(['SIGKILL', '']);

    const store = openSqliteStore({ file, clock });
    const { broadcasts } = store;
    expect((await broadcasts.unfinished()).map(({ order, state }) => [order.broadcastId, state])).toEqual([
      ['whole', 'running'],
    ]);
    expect(
      (await broadcasts.report({ broadcastId: 'whole', limit: 9 })).map(({ state, callId }) => [state, callId]),
    ).toEqual([
      ['done', 'call-1'],
      ['calling', 'call-2'],
      ['queued', undefined],
    ]);
    expect(await broadcasts.counts('whole')).toMatchObject({
      queued: 1,
      calling: 1,
      failed: 1,
      reasons: { Busy: 1 },
      attempts: 2,
    });
    const found = await Promise.all(['d1', 'd2', 'd3'].map(store.outbox.find));
    expect(found.map((one) => one !== undefined)).toEqual([true, true, false]);
    expect(await broadcasts.doNotCall.has('p1', '331')).toBe(true);
    expect(await broadcasts.find('half')).toBeUndefined();

    const reader = new DatabaseSync(file, { readOnly: true });
    const rows = () => Number(reader.prepare('SELECT count(*) AS n FROM broadcast_numbers').get()!['n']);
    expect(rows()).toBeGreaterThan(3);
    expect(await broadcasts.prune(0)).toBe(0);
    expect(rows()).toBe(3);
    reader.close();
    await store.close();
  });
});

describe('a hundred thousand numbers', () => {
  const MANY = 100_000;
  /** How SQLite finds the numbers in what the work asks it: the tables, and by which columns. */
  const plansOf = (database: DatabaseSync, work: () => unknown): string[] => {
    const asked = new Set<string>();
    const spies = (['all', 'get', 'iterate', 'run'] as const).map((method) => {
      const real = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
      return vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...values) {
        asked.add(this.sourceSQL);
        return real.apply(this, values) as never;
      });
    });
    void work();
    for (const spy of spies) spy.mockRestore();
    return [...asked].flatMap((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  };
  /** Through the numbers of a broadcast one after the other, from the first or from a place on. */
  const goesThrough = (plan: string): boolean =>
    /^SCAN broadcast_numbers|broadcast_numbers .*\(broadcast_no=\?( AND number>\?)?\)$/.test(plan);

  it('are called, counted and found without going through all of them', async () => {
    const opened = vi.spyOn(DatabaseSync.prototype, 'prepare');
    const store = createMemoryStore();
    const [database] = opened.mock.contexts as DatabaseSync[];
    opened.mockRestore();
    const { broadcasts } = store;
    await broadcasts.create(broadcastOf('b1'), calleesOf(MANY), []);
    const plans = (work: () => unknown): string[] => plansOf(database!, work);
    const all = plans(() => broadcasts.report({ broadcastId: 'b1', limit: 9, reason: 'nobody' }));
    expect(all.some(goesThrough), all.join('; ')).toBe(true);
    const next = 1;
    const asked = {
      due: plans(() => broadcasts.due('b1', T0, 9)),
      nextDueMs: plans(() => broadcasts.nextDueMs('b1')),
      calls: plans(() => {
        void broadcasts.claim('b1', next, { callId: 'c', atMs: T0 });
        void broadcasts.requeue('b1', next, attemptOf('c'), BUSY, T0 + 1);
        void broadcasts.claim('b1', next, { callId: 'c', atMs: T0 });
        void broadcasts.settle('b1', next, { result: ANSWERED, atMs: T0, attempt: attemptOf('c') });
      }),
      counts: plans(() => broadcasts.counts('b1')),
      calling: plans(() => broadcasts.calling('b1', 9)),
      callingOnly: plans(() => broadcasts.report({ broadcastId: 'b1', limit: 9, states: ['calling'] })),
      phone: plans(() => broadcasts.report({ broadcastId: 'b1', limit: 9, phone: phoneOf(MANY) })),
    };
    for (const [what, found] of Object.entries(asked)) {
      expect(found.length, what).toBeGreaterThan(0);
      expect(found.filter(goesThrough), what).toEqual([]);
    }
    // A page of nine begins at its place.
    const lastPage = plans(() => broadcasts.report({ broadcastId: 'b1', limit: 9, after: MANY - 9 }));
    expect(lastPage.filter((plan) => plan.includes('broadcast_numbers'))).toEqual([
      expect.stringContaining('number>?'),
    ]);
    // Due numbers are read in index order, without a sort.
    expect(asked.due.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([]);
    expect(await broadcasts.counts('b1')).toMatchObject({
      numbers: MANY,
      queued: MANY - next,
      success: next,
      attempts: 2 * next,
    });
    expect(await broadcasts.settleQueued('b1', { result: BUSY, atMs: T0 })).toBe(MANY - next);
    expect((await broadcasts.counts('b1')).reasons).toEqual({ success: next, Busy: MANY - next });
    await store.close();
  });
});
