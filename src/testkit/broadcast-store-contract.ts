/**
 * What every `BroadcastStore` must do, whatever keeps it. Run by each adapter's test. Neighbour:
 * `broadcast-model.ts` compares long random lives of broadcasts with what a few lines of objects say of them.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Callee, NumberRow } from '../calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../calls/broadcast/broadcast-store.ts';
import { seededChance } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Store } from '../store/store.ts';
import type { StoreHarness } from './book-contract.ts';
import { liveRandomly } from './broadcast-model.ts';
import { ANSWERED, attemptOf, BUSY, broadcastOf, calleesOf, phoneOf, STOPPED } from './broadcast-writes.ts';
import { deliveryOf, T0, writeOf } from './call-writes.ts';

const numbersOf = (rows: readonly NumberRow[]): number[] => rows.map(({ number }) => number);

export function runBroadcastStoreContract(make: () => Promise<StoreHarness>): void {
  describe('broadcast store contract', () => {
    let harness: StoreHarness;
    let store: Store;
    let broadcasts: BroadcastStore;
    beforeEach(async () => {
      harness = await make();
      store = await harness.open();
      broadcasts = store.broadcasts;
    });
    afterEach(() => store.close());

    const reopen = async (): Promise<void> => {
      store = await harness.reopen!(store);
      broadcasts = store.broadcasts;
    };
    const create = (broadcastId: string, callees: Iterable<Callee> | number, more = {}): Promise<void> =>
      broadcasts.create(broadcastOf(broadcastId, more), typeof callees === 'number' ? calleesOf(callees) : callees, []);
    const claim = (number: number, callId = `call-${number}`, broadcastId = 'b1'): boolean =>
      broadcasts.claim(broadcastId, number, { callId, atMs: T0 + 10 });
    const requeue = (number: number, dueMs: number, callId = `call-${number}`): void =>
      broadcasts.requeue('b1', number, attemptOf(callId), BUSY, dueMs);
    const row = (number: number, broadcastId = 'b1'): NumberRow =>
      broadcasts.report({ broadcastId, after: number - 1, limit: 1 })[0]!;
    const due = (nowMs = T0 + 1000, limit = 100): number[] => numbersOf(broadcasts.due('b1', nowMs, limit));

    describe('broadcasts', () => {
      it('gives back what was written, with as many numbers as there were', async () => {
        const whole = broadcastOf('b1', { state: 'stopped', startedMs: T0 + 1, endedMs: T0 + 2, error: 'no "line"' });
        await broadcasts.create(whole, calleesOf(3), []);
        await create('b2', 0);
        expect(broadcasts.find('b1')).toEqual({ ...whole, numbers: 3 });
        expect(broadcasts.find('b2')).toEqual(broadcastOf('b2', { numbers: 0 }));
        expect(broadcasts.find('b3')).toBeUndefined();
      });

      it('gives out copies, and keeps none of what it was given', async () => {
        const mine = broadcastOf('b1');
        const callees = [{ phone: '1', input: { name: 'Ada' } }];
        const done = broadcasts.create(mine, callees, []);
        mine.order.name = 'changed';
        await done;
        callees[0]!.input.name = 'changed';
        broadcasts.find('b1')!.order.from = 'changed';
        expect(broadcasts.find('b1')!.order).toEqual(broadcastOf('b1').order);
        expect(row(1).input).toEqual({ name: 'Ada' });
      });

      it('lists those of a project, the newest first, in pages', async () => {
        for (const id of ['b1', 'b2', 'x1', 'b3', 'b4']) await create(id, 1, { projectId: id[0] });
        const list = (limit: number, after?: string) =>
          broadcasts
            .list({ projectId: 'b', limit, ...(after === undefined ? {} : { after }) })
            .map(({ order }) => order.broadcastId);
        expect(list(9)).toEqual(['b4', 'b3', 'b2', 'b1']);
        expect([list(3), list(3, 'b2'), list(3, 'b1')]).toEqual([['b4', 'b3', 'b2'], ['b1'], []]);
        // Neither one that is not there nor one of somebody else is a place in this list.
        expect([list(9, 'nobody'), list(9, 'x1')]).toEqual([[], []]);
      });

      it('writes changes of state, and knows which are not over', async () => {
        for (const id of ['b1', 'b2', 'b3']) await create(id, 1);
        broadcasts.change('b2', { state: 'running', startedMs: T0 + 5 }, []);
        broadcasts.change('b1', { state: 'stopped' }, []);
        broadcasts.change('b2', { state: 'failed', endedMs: T0 + 9, error: 'no flow' }, []);
        expect(broadcasts.find('b2')).toEqual(
          broadcastOf('b2', { state: 'failed', startedMs: T0 + 5, endedMs: T0 + 9, error: 'no flow', numbers: 1 }),
        );
        expect(broadcasts.unfinished().map(({ order, state }) => [order.broadcastId, state])).toEqual([
          ['b1', 'stopped'],
          ['b3', 'initiated'],
        ]);
      });

      it('refuses a second one of the same id, and a change of one that is not there', async () => {
        await create('b1', 2);
        await expect(create('b1', 5)).rejects.toThrow();
        expect(broadcasts.find('b1')!.numbers).toBe(2);
        expect(() => broadcasts.change('nobody', { state: 'running' }, [deliveryOf('d1', 'nobody')])).toThrow();
        expect(store.outbox.read('d1')).toBeUndefined();
      });

      it('keeps one of two that are written under one id at the same time', async () => {
        const written = await Promise.allSettled([create('b1', 5000), create('b1', 5000)]);
        expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(broadcasts.counts('b1').numbers).toBe(5000);
        expect(broadcasts.report({ broadcastId: 'b1', limit: 9999 })).toHaveLength(5000);
      });

      it('knows nothing of one that is not there', () => {
        expect(broadcasts.due('b1', T0, 9)).toEqual([]);
        expect(broadcasts.nextDueMs('b1')).toBeUndefined();
        expect(claim(1)).toBe(false);
        broadcasts.release('b1', 1);
        requeue(1, T0);
        broadcasts.settle('b1', 1, { result: BUSY, atMs: T0 });
        expect(broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 })).toBe(0);
        expect([broadcasts.calling('b1', 9), broadcasts.report({ broadcastId: 'b1', limit: 9 })]).toEqual([[], []]);
        expect(() => broadcasts.counts('b1')).toThrow('no broadcast b1');
      });
    });

    describe('being written', () => {
      it('is there for nobody before all its numbers are, and lets others write in between', async () => {
        const seen = new Set<string>();
        const look = (): void => {
          const shown = [
            broadcasts.find('b1'),
            ...broadcasts.unfinished(),
            ...broadcasts.list({ projectId: 'project-1', limit: 9 }),
          ];
          seen.add(`${shown.filter(Boolean).length} ${broadcasts.due('b1', T0, 9).length} ${claim(1)}`);
        };
        function* watched(): Generator<Callee> {
          for (const callee of calleesOf(20_000)) {
            if (Number(callee.phone) % 1000 === 0) look();
            yield callee;
          }
        }
        let written = 0;
        const creating = create('b1', watched());
        let over = false;
        void creating.then(() => {
          over = true;
        });
        for (; !over; await turn()) await store.book.commit(writeOf(`call-${written++}`, [1]));
        expect([...seen]).toEqual(['0 0 false']);
        expect(written).toBeGreaterThan(3);
        expect(broadcasts.counts('b1')).toMatchObject({ numbers: 20_000, queued: 20_000 });
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
        expect([broadcasts.find('b1'), store.outbox.read('d1'), told]).toEqual([undefined, undefined, []]);
        await create('b1', 2);
        expect(numbersOf(broadcasts.report({ broadcastId: 'b1', limit: 9 }))).toEqual([1, 2]);
      });
    });

    describe('deliveries', () => {
      it('go into their lines with what they tell of, and are told once they are there', async () => {
        const told: string[] = [];
        store.outbox.subscribe((deliveries) => {
          for (const { id } of deliveries)
            told.push(`${id} ${broadcasts.find('b1')?.state} ${store.outbox.read(id) !== undefined}`);
        });
        await broadcasts.create(broadcastOf('b1'), calleesOf(1), [deliveryOf('d1', 'b1'), deliveryOf('d2', 'b1')]);
        broadcasts.change('b1', { state: 'running' }, []);
        broadcasts.change('b1', { state: 'completed', endedMs: T0 }, [deliveryOf('d3', 'b1')]);
        expect(told).toEqual(['d1 initiated true', 'd2 initiated true', 'd3 completed true']);
        expect(store.outbox.line('b1', 9).map(({ id }) => id)).toEqual(['d1', 'd2', 'd3']);
      });

      it('that cannot be put into line leave everything as it was', async () => {
        await broadcasts.create(broadcastOf('b1'), calleesOf(1), [deliveryOf('d1', 'b1')]);
        const told: unknown[] = [];
        store.outbox.subscribe((deliveries) => told.push(...deliveries));
        const twice = [deliveryOf('d2', 'b1'), deliveryOf('d1', 'b1')];
        expect(() => broadcasts.change('b1', { state: 'completed', endedMs: T0 }, twice)).toThrow();
        await expect(broadcasts.create(broadcastOf('b2'), calleesOf(1), twice)).rejects.toThrow();
        expect(broadcasts.find('b1')).toEqual(broadcastOf('b1', { numbers: 1 }));
        expect([broadcasts.find('b2'), store.outbox.read('d2'), told]).toEqual([undefined, undefined, []]);
      });
    });

    describe('numbers', () => {
      beforeEach(() => create('b1', 5));

      it('are queued at first, in the order in which they were given', () => {
        const first = { number: 1, phone: phoneOf(1), state: 'queued', attempts: 0, dueMs: T0, changedMs: T0 };
        expect(broadcasts.due('b1', T0, 9)[0]).toEqual(first);
        expect(row(1)).toEqual(first);
        expect([due(), due(T0, 2), due(T0 - 1), due(T0, 0)]).toEqual([[1, 2, 3, 4, 5], [1, 2], [], []]);
        expect(broadcasts.nextDueMs('b1')).toBe(T0);
      });

      it('are claimed once, by the call that is made', () => {
        expect([claim(2), claim(2, 'other'), claim(9), claim(0)]).toEqual([true, false, false, false]);
        expect(due()).toEqual([1, 3, 4, 5]);
        expect(row(2)).toEqual({
          number: 2,
          phone: phoneOf(2),
          state: 'calling',
          attempts: 1,
          dueMs: T0,
          callId: 'call-2',
          changedMs: T0 + 10,
        });
        expect(broadcasts.calling('b1', 9)).toEqual([row(2)]);
      });

      it('are as they were when there was no call after all', () => {
        const fresh = row(1);
        claim(1);
        broadcasts.release('b1', 1);
        expect({ ...row(1), changedMs: T0 }).toEqual(fresh);
        claim(1);
        requeue(1, T0 + 500);
        const again = row(1);
        claim(1, 'never-made');
        broadcasts.release('b1', 1);
        expect({ ...row(1), changedMs: again.changedMs }).toEqual(again);
        expect(broadcasts.counts('b1')).toMatchObject({ queued: 5, calling: 0, attempts: 1 });
        // Nothing is released that was not claimed.
        broadcasts.release('b1', 1);
        expect(row(1).attempts).toBe(1);
      });

      it('wait for the next call with what the last came to', () => {
        claim(3);
        broadcasts.requeue('b1', 3, { ...attemptOf('call-3'), output: { tries: 1 } }, BUSY, T0 + 500);
        expect(row(3)).toEqual({
          number: 3,
          phone: phoneOf(3),
          state: 'queued',
          attempts: 1,
          dueMs: T0 + 500,
          callId: 'call-3',
          result: BUSY,
          endedMs: T0 + 20,
          output: { tries: 1 },
          changedMs: T0 + 20,
        });
        claim(3, 'second');
        // What is told of a call that goes on is of no other.
        expect(row(3)).toMatchObject({ state: 'calling', callId: 'second', attempts: 2 });
        expect(Object.keys(row(3))).not.toEqual(expect.arrayContaining(['result']));
        expect(row(3)).not.toHaveProperty('output');
        expect(row(3)).not.toHaveProperty('endedMs');
      });

      it('that are due again come before those that were never called, in the order of their time', () => {
        for (const number of [1, 2, 3]) claim(number);
        requeue(3, T0 + 100);
        requeue(1, T0 + 300);
        requeue(2, T0 + 200);
        expect([due(T0 + 99), due(T0 + 100), due(T0 + 200), due(T0 + 300)]).toEqual([
          [4, 5],
          [3, 4, 5],
          [3, 2, 4, 5],
          [3, 2, 1, 4, 5],
        ]);
        expect([due(T0 + 300, 2), due(T0 + 300, 4)]).toEqual([
          [3, 2],
          [3, 2, 1, 4],
        ]);
        expect(broadcasts.due('b1', T0 + 100, 1)[0]).toEqual(row(3));
      });

      it('say when the next of them is due', () => {
        for (const number of [1, 2, 3, 4, 5]) claim(number);
        expect(broadcasts.nextDueMs('b1')).toBeUndefined();
        requeue(2, T0 + 300);
        requeue(4, T0 + 200);
        expect(broadcasts.nextDueMs('b1')).toBe(T0 + 200);
        claim(4);
        expect(broadcasts.nextDueMs('b1')).toBe(T0 + 300);
        broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 });
        expect(broadcasts.nextDueMs('b1')).toBeUndefined();
      });

      it('are never found before they are due, whatever the parts of a millisecond', () => {
        for (const number of [1, 2, 3, 4, 5]) claim(number);
        requeue(1, T0 + 100.4);
        const next = broadcasts.nextDueMs('b1')!;
        expect(due(T0 + 100.3)).toEqual([]);
        expect(due(next)).toEqual([1]);
        expect(next - T0).toBeLessThan(102);
      });

      it('have one result for ever', () => {
        claim(1);
        const attempt = {
          ...attemptOf('call-1'),
          answeredMs: T0 + 15,
          answeredBy: 'human' as const,
          output: [null, 1],
        };
        broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0 + 30, attempt });
        const end = {
          number: 1,
          phone: phoneOf(1),
          state: 'done',
          attempts: 1,
          dueMs: T0,
          callId: 'call-1',
          result: ANSWERED,
          answeredMs: T0 + 15,
          endedMs: T0 + 20,
          answeredBy: 'human',
          output: [null, 1],
          changedMs: T0 + 30,
        };
        expect(row(1)).toEqual(end);
        broadcasts.settle('b1', 1, { result: BUSY, atMs: T0 + 40, attempt: attemptOf('other') });
        broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 40 });
        broadcasts.release('b1', 1);
        requeue(1, T0);
        expect(claim(1)).toBe(false);
        broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 + 50 });
        expect(row(1)).toEqual(end);
        expect(broadcasts.counts('b1')).toMatchObject({ done: 5, success: 1, failed: 4, attempts: 1 });
      });

      it('are settled without a call, too', () => {
        broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 1 });
        claim(2);
        requeue(2, T0 + 500);
        broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 + 2 });
        claim(3);
        requeue(3, T0 + 500);
        claim(3, 'lost');
        broadcasts.settle('b1', 3, { result: STOPPED, atMs: T0 + 3 });
        expect([row(1), row(2), row(3)]).toEqual([
          { number: 1, phone: phoneOf(1), state: 'done', attempts: 0, dueMs: T0, result: STOPPED, changedMs: T0 + 1 },
          // Its call is the one that there was.
          {
            number: 2,
            phone: phoneOf(2),
            state: 'done',
            attempts: 1,
            dueMs: T0 + 500,
            callId: 'call-2',
            endedMs: T0 + 20,
            result: STOPPED,
            changedMs: T0 + 2,
          },
          // Nobody knows how its second call ended.
          {
            number: 3,
            phone: phoneOf(3),
            state: 'done',
            attempts: 2,
            dueMs: T0 + 500,
            callId: 'lost',
            result: STOPPED,
            changedMs: T0 + 3,
          },
        ]);
      });

      it('that are queued are settled all at once, or some at a time, with the result they have', () => {
        claim(1);
        claim(2);
        requeue(2, T0 + 500);
        const stop = (most?: number) =>
          broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 + 60, ...(most === undefined ? {} : { most }) });
        expect([stop(2), stop(), stop(2), stop()]).toEqual([2, 2, 0, 0]);
        expect(
          broadcasts.report({ broadcastId: 'b1', limit: 9 }).map(({ state, result }) => [state, result?.reason]),
        ).toEqual([
          ['calling', undefined],
          ['done', 'Busy'],
          ['done', STOPPED.reason],
          ['done', STOPPED.reason],
          ['done', STOPPED.reason],
        ]);
        expect(row(2)).toMatchObject({ result: BUSY, callId: 'call-2', changedMs: T0 + 60 });
        expect(row(3).result).toEqual(STOPPED);
        expect(broadcasts.counts('b1').reasons).toEqual({ Busy: 1, [STOPPED.reason]: 3 });
        // A call that goes on may still be one to repeat: what comes of it is for whoever stopped it to say.
        requeue(1, T0 + 900);
        expect(broadcasts.nextDueMs('b1')).toBe(T0 + 900);
        expect([stop(), row(1).result]).toEqual([1, BUSY]);
      });

      it('that are being called are given out a few at a time', () => {
        for (const number of [5, 1, 4, 2]) claim(number);
        expect([numbersOf(broadcasts.calling('b1', 3)), numbersOf(broadcasts.calling('b1', 9))]).toEqual([
          [1, 2, 4],
          [1, 2, 4, 5],
        ]);
      });

      it('of one broadcast are none of another', async () => {
        await create('b2', 5);
        claim(1);
        requeue(1, T0);
        claim(2, 'call-2', 'b2');
        broadcasts.settle('b2', 3, { result: STOPPED, atMs: T0 });
        broadcasts.settleQueued('b2', { result: STOPPED, atMs: T0 });
        expect(broadcasts.counts('b1')).toEqual({
          numbers: 5,
          queued: 5,
          calling: 0,
          done: 0,
          success: 0,
          failed: 0,
          reasons: {},
          attempts: 1,
        });
        expect(broadcasts.counts('b2')).toMatchObject({ queued: 0, calling: 1, done: 4, attempts: 1 });
        expect([due(), numbersOf(broadcasts.due('b2', T0, 9))]).toEqual([[1, 2, 3, 4, 5], []]);
        expect([broadcasts.calling('b1', 9), numbersOf(broadcasts.calling('b2', 9))]).toEqual([[], [2]]);
        expect(row(1, 'b2').attempts).toBe(0);
      });
    });

    describe('counts and reports', () => {
      beforeEach(async () => {
        await create('b1', 8);
        for (const number of [1, 2, 3, 4, 5]) claim(number);
        broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
        broadcasts.settle('b1', 2, {
          result: { code: 'success', reason: 'AMD' },
          atMs: T0,
          attempt: attemptOf('call-2'),
        });
        broadcasts.settle('b1', 3, {
          result: { code: 'failed', reason: 'AMD' },
          atMs: T0,
          attempt: attemptOf('call-3'),
        });
        requeue(4, T0 + 500);
        broadcasts.settle('b1', 8, { result: STOPPED, atMs: T0 });
      });

      it('count what came of the numbers, and the calls', () => {
        expect(broadcasts.counts('b1')).toEqual({
          numbers: 8,
          queued: 3,
          calling: 1,
          done: 4,
          success: 2,
          failed: 2,
          reasons: { success: 1, AMD: 2, [STOPPED.reason]: 1 },
          attempts: 5,
        });
      });

      it('keep what is named like something that every object has', () => {
        broadcasts.settle('b1', 6, { result: { code: 'failed', reason: '__proto__' }, atMs: T0 });
        broadcasts.settle('b1', 7, { result: { code: 'failed', reason: 'constructor' }, atMs: T0 });
        const { reasons } = broadcasts.counts('b1');
        expect(Object.entries(reasons)).toEqual(
          expect.arrayContaining([
            ['__proto__', 1],
            ['constructor', 1],
          ]),
        );
      });

      it('are paged in the order of the numbers', () => {
        const page = (limit: number, after?: number) =>
          numbersOf(broadcasts.report({ broadcastId: 'b1', limit, ...(after === undefined ? {} : { after }) }));
        expect([page(3), page(3, 3), page(3, 6), page(3, 8), page(0)]).toEqual([[1, 2, 3], [4, 5, 6], [7, 8], [], []]);
      });

      it('are narrowed down to states, results and numbers', () => {
        const find = (query: object) => numbersOf(broadcasts.report({ broadcastId: 'b1', limit: 99, ...query }));
        expect(find({ states: ['queued'] })).toEqual([4, 6, 7]);
        expect(find({ states: ['calling'] })).toEqual([5]);
        expect(find({ states: ['done'] })).toEqual([1, 2, 3, 8]);
        expect(find({ states: ['calling', 'done'] })).toEqual([1, 2, 3, 5, 8]);
        expect(find({ states: ['calling', 'queued'] })).toEqual([4, 5, 6, 7]);
        expect(find({ states: ['done', 'calling', 'queued'] })).toHaveLength(8);
        expect(find({ states: [] })).toEqual([]);
        expect(find({ code: 'success' })).toEqual([1, 2]);
        expect(find({ code: 'failed' })).toEqual([3, 8]);
        // As in the counts: a number that waits to be called again has no result yet.
        expect(find({ reason: 'Busy' })).toEqual([]);
        expect(find({ reason: 'AMD' })).toEqual([2, 3]);
        expect(find({ reason: 'AMD', code: 'failed', states: ['done'] })).toEqual([3]);
        expect(find({ code: 'failed', states: ['queued', 'calling'] })).toEqual([]);
        expect(find({ states: ['queued'], after: 4, limit: 1 })).toEqual([6]);
        expect(find({ phone: phoneOf(6) })).toEqual([6]);
        expect(find({ phone: phoneOf(6), states: ['done'] })).toEqual([]);
        expect(find({ phone: phoneOf(6), after: 6 })).toEqual([]);
        expect(find({ phone: '' })).toEqual([]);
      });
    });

    describe('what people write', () => {
      it('is kept as it is, and found however it is written', async () => {
        const odd = [
          '+33 (6) 12-34.56',
          'sip:Ada.Lovelace@phones.example;transport=tcp',
          "user:o'neil",
          '\'; DROP TABLE broadcast_numbers; -- "',
          'é\u0000\u2028👋',
          '9'.repeat(20_000),
        ];
        await create(
          'b1',
          odd.map((phone) => ({ phone })),
        );
        expect(broadcasts.report({ broadcastId: 'b1', limit: 99 }).map(({ phone }) => phone)).toEqual(odd);
        const find = (phone: string) => numbersOf(broadcasts.report({ broadcastId: 'b1', limit: 9, phone }));
        expect(
          [
            '336123456',
            '+33612-3456',
            'SIP:ada.lovelace@phones.example;transport=tcp',
            odd[3]!,
            odd[5]!,
            '%',
            '33612345_',
          ].map(find),
        ).toEqual([[1], [1], [2], [4], [6], [], []]);
      });

      it('does not become anything else: keys of input and output are only keys', async () => {
        const odd = JSON.parse(
          '{"__proto__": {"polluted": true}, "constructor": 1, "": null, "a\\"b": ["\\u0000", 1e300]}',
        ) as JsonObject;
        await create('b1', [{ phone: '1', input: odd }, { phone: '2', input: {} }, { phone: '3' }]);
        const outputs: (Json | undefined)[] = [odd, null, undefined];
        outputs.forEach((output, index) => {
          claim(index + 1);
          const attempt = attemptOf(`call-${index + 1}`);
          const whole = output === undefined ? attempt : { ...attempt, output };
          broadcasts.settle('b1', index + 1, { result: ANSWERED, atMs: T0, attempt: whole });
        });
        const rows = broadcasts.report({ broadcastId: 'b1', limit: 9 });
        expect(rows.map(({ input }) => JSON.stringify(input))).toEqual([JSON.stringify(odd), '{}', undefined]);
        expect(rows.map(({ output }) => JSON.stringify(output))).toEqual([JSON.stringify(odd), 'null', undefined]);
        expect(Object.prototype).not.toHaveProperty('polluted');
      });
    });

    describe('forgetting', () => {
      it('takes broadcasts that ended long ago with all that belongs to them, and no others', async () => {
        await create('old', 3000, { state: 'completed', endedMs: T0 + 99 });
        await create('recent', 3, { state: 'completed', endedMs: T0 + 100 });
        await create('live', 3);
        broadcasts.settle('old', 1, { result: BUSY, atMs: T0 });
        expect(broadcasts.counts('old').done).toBe(1);
        expect(await broadcasts.forget(T0 + 100)).toBe(1);
        expect([broadcasts.find('old'), broadcasts.find('recent')?.numbers, broadcasts.find('live')?.numbers]).toEqual([
          undefined,
          3,
          3,
        ]);
        expect([broadcasts.report({ broadcastId: 'old', limit: 9 }), broadcasts.due('old', T0, 9)]).toEqual([[], []]);
        expect(await broadcasts.forget(T0 + 100)).toBe(0);
        // The place in the tables may be taken by another: nothing of the old one is found there.
        await create('old', 2);
        expect(broadcasts.counts('old')).toMatchObject({ numbers: 2, queued: 2, done: 0, reasons: {} });
      });

      it('is part of what a store forgets, and leaves alone what is being written', async () => {
        await create('old', 2, { state: 'completed', endedMs: T0 });
        const creating = create('b1', 5000);
        expect(await store.forget({ callsEndedBeforeMs: T0 + 1, deadBeforeMs: 0 })).toMatchObject({ broadcasts: 1 });
        await creating;
        expect(broadcasts.report({ broadcastId: 'b1', limit: 9999 })).toHaveLength(5000);
      });

      it('lets others write in between', async () => {
        await create('old', 20_000, { state: 'completed', endedMs: T0 });
        let over = false;
        const forgetting = broadcasts.forget(T0 + 1).then(() => {
          over = true;
        });
        let written = 0;
        for (; !over; await turn()) await store.book.commit(writeOf(`call-${written++}`, [1]));
        await forgetting;
        expect(written).toBeGreaterThan(3);
      });
    });

    describe('do not call', () => {
      it('keeps the numbers of each project', () => {
        const list = broadcasts.doNotCall;
        expect(list.add('p1', ['331', '332', '331', 'user:ada'], T0)).toBe(3);
        expect(list.add('p1', ['332', '333'], T0 + 1.5)).toBe(1);
        expect(list.add('p2', ["'; --"], T0)).toBe(1);
        expect(list.add('p2', [], T0)).toBe(0);
        expect([list.has('p1', '331'), list.has('p2', '331'), list.has('p1', '33')]).toEqual([true, false, false]);
        expect([list.count('p1'), list.count('p2'), list.count('p3')]).toEqual([4, 1, 0]);
        expect([list.remove('p1', '331'), list.remove('p1', '331'), list.remove('p2', '332')]).toEqual([
          true,
          false,
          false,
        ]);
        expect(list.list({ projectId: 'p1', limit: 2 }).map(({ key }) => key)).toEqual(['332', '333']);
        expect(list.list({ projectId: 'p1', after: '333', limit: 2 })).toEqual([{ key: 'user:ada', addedMs: T0 }]);
        expect(list.list({ projectId: 'p2', limit: 9 }).map(({ key }) => key)).toEqual(["'; --"]);
      });

      it('is not forgotten in time', async () => {
        broadcasts.doNotCall.add('p1', ['331'], 0);
        await store.forget({ callsEndedBeforeMs: T0, deadBeforeMs: T0 });
        expect(broadcasts.doNotCall.has('p1', '331')).toBe(true);
      });
    });

    it('agrees with a simple model of it, whatever happens in whatever order', async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const id = `b${seed}`;
        await create(id, 7);
        liveRandomly(broadcasts, id, { numbers: 7, steps: 60, chance: seededChance(seed) });
      }
    });

    it('still has everything after it was closed and opened again', async ({ skip }) => {
      if (!harness.reopen) return skip('this store keeps nothing beyond its process');
      await broadcasts.create(broadcastOf('b1'), calleesOf(4), [deliveryOf('d1', 'b1')]);
      claim(1);
      broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
      claim(2);
      requeue(2, T0 + 500);
      claim(3);
      broadcasts.change('b1', { state: 'running', startedMs: T0 }, []);
      broadcasts.doNotCall.add('p1', ['331'], T0);
      const all = () => [
        broadcasts.find('b1'),
        broadcasts.counts('b1'),
        broadcasts.report({ broadcastId: 'b1', limit: 9 }),
        broadcasts.due('b1', T0 + 500, 9),
        broadcasts.calling('b1', 9),
        broadcasts.doNotCall.list({ projectId: 'p1', limit: 9 }),
        store.outbox.read('d1'),
      ];
      const before = all();
      await reopen();
      expect(all()).toEqual(before);
      expect(claim(3)).toBe(false);
      expect(claim(4)).toBe(true);
    });
  });
}
