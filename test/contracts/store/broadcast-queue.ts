/** States of numbers: queued, called, called again, settled. Part of `broadcast-store-contract.ts`. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import {
  ANSWERED,
  attemptOf,
  type BroadcastActions,
  BUSY,
  broadcastActions,
  numbersOf,
  phoneOf,
  STOPPED,
} from './broadcast-fixtures.ts';
import { T0 } from './call-fixtures.ts';

/** `store`: empty, for each test another. */
export function describeQueue(store: () => BroadcastStore): void {
  let broadcasts: BroadcastStore;
  let actions: BroadcastActions;
  beforeEach(() => {
    broadcasts = store();
    actions = broadcastActions(broadcasts);
  });

  describe('numbers', () => {
    beforeEach(() => actions.create('b1', 5));

    it('are queued at first, in the order in which they were given', async () => {
      const first = { number: 1, phone: phoneOf(1), state: 'queued', attempts: 0, dueMs: T0, changedMs: T0 };
      expect((await broadcasts.due('b1', T0, 9))[0]).toEqual(first);
      expect(await actions.row(1)).toEqual(first);
      expect([
        await actions.due(),
        await actions.due(T0, 2),
        await actions.due(T0 - 1),
        await actions.due(T0, 0),
      ]).toEqual([[1, 2, 3, 4, 5], [1, 2], [], []]);
      expect(await broadcasts.nextDueMs('b1')).toBe(T0);
    });

    it('are claimed once, by the call that is made', async () => {
      expect([
        await actions.claim(2),
        await actions.claim(2, 'other'),
        await actions.claim(9),
        await actions.claim(0),
      ]).toEqual([true, false, false, false]);
      expect(await actions.due()).toEqual([1, 3, 4, 5]);
      expect(await actions.row(2)).toEqual({
        number: 2,
        phone: phoneOf(2),
        state: 'calling',
        attempts: 1,
        dueMs: T0,
        callId: 'call-2',
        changedMs: T0 + 10,
      });
      expect(await broadcasts.calling('b1', 9)).toMatchObject([await actions.row(2)]);
    });

    it('are as they were when there was no call after all', async () => {
      const fresh = await actions.row(1);
      await actions.claim(1);
      await broadcasts.release('b1', 1);
      expect({ ...(await actions.row(1)), changedMs: T0 }).toEqual(fresh);
      await actions.claim(1);
      await actions.requeue(1, T0 + 500);
      const again = await actions.row(1);
      await actions.claim(1, 'never-made');
      await broadcasts.release('b1', 1);
      expect({ ...(await actions.row(1)), changedMs: again.changedMs }).toEqual(again);
      expect(await broadcasts.counts('b1')).toMatchObject({ queued: 5, calling: 0, attempts: 1 });
      // Nothing is released that was not claimed.
      await broadcasts.release('b1', 1);
      expect((await actions.row(1)).attempts).toBe(1);
    });

    it('keeps the last result of a number until its next call', async () => {
      await actions.claim(3);
      await broadcasts.requeue('b1', 3, { ...attemptOf('call-3'), output: { tries: 1 } }, BUSY, T0 + 500);
      expect(await actions.row(3)).toEqual({
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
      await actions.claim(3, 'second');
      // Reports of a live call belong to no other call.
      expect(await actions.row(3)).toMatchObject({ state: 'calling', callId: 'second', attempts: 2 });
      expect(Object.keys(await actions.row(3))).not.toEqual(expect.arrayContaining(['result']));
      expect(await actions.row(3)).not.toHaveProperty('output');
      expect(await actions.row(3)).not.toHaveProperty('endedMs');
    });

    it('are dialled before those that were never called, in order of time, if their retry is due', async () => {
      for (const number of [1, 2, 3]) await actions.claim(number);
      await actions.requeue(3, T0 + 100);
      await actions.requeue(1, T0 + 300);
      await actions.requeue(2, T0 + 200);
      expect([
        await actions.due(T0 + 99),
        await actions.due(T0 + 100),
        await actions.due(T0 + 200),
        await actions.due(T0 + 300),
      ]).toEqual([
        [4, 5],
        [3, 4, 5],
        [3, 2, 4, 5],
        [3, 2, 1, 4, 5],
      ]);
      expect([await actions.due(T0 + 300, 2), await actions.due(T0 + 300, 4)]).toEqual([
        [3, 2],
        [3, 2, 1, 4],
      ]);
      expect((await broadcasts.due('b1', T0 + 100, 1))[0]).toEqual(await actions.row(3));
    });

    it('reports when the next number is due', async () => {
      for (const number of [1, 2, 3, 4, 5]) await actions.claim(number);
      expect(await broadcasts.nextDueMs('b1')).toBeUndefined();
      await actions.requeue(2, T0 + 300);
      await actions.requeue(4, T0 + 200);
      expect(await broadcasts.nextDueMs('b1')).toBe(T0 + 200);
      await actions.claim(4);
      expect(await broadcasts.nextDueMs('b1')).toBe(T0 + 300);
      await broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 });
      expect(await broadcasts.nextDueMs('b1')).toBeUndefined();
    });

    it('are never found before they are due, whatever the parts of a millisecond', async () => {
      for (const number of [1, 2, 3, 4, 5]) await actions.claim(number);
      await actions.requeue(1, T0 + 100.4);
      const next = (await broadcasts.nextDueMs('b1'))!;
      expect(await actions.due(T0 + 100.3)).toEqual([]);
      expect(await actions.due(next)).toEqual([1]);
      expect(next - T0).toBeLessThan(102);
    });

    it('has one permanent result for each number', async () => {
      await actions.claim(1);
      const attempt = {
        ...attemptOf('call-1'),
        answeredMs: T0 + 15,
        answeredBy: 'human' as const,
        output: [null, 1],
      };
      await broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0 + 30, attempt });
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
      expect(await actions.row(1)).toEqual(end);
      await broadcasts.settle('b1', 1, { result: BUSY, atMs: T0 + 40, attempt: attemptOf('other') });
      await broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 40 });
      await broadcasts.release('b1', 1);
      await actions.requeue(1, T0);
      expect(await actions.claim(1)).toBe(false);
      await broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 + 50 });
      expect(await actions.row(1)).toEqual(end);
      expect(await broadcasts.counts('b1')).toMatchObject({ done: 5, success: 1, failed: 4, attempts: 1 });
    });

    it('are settled without a call, too', async () => {
      await broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 1 });
      await actions.claim(2);
      await actions.requeue(2, T0 + 500);
      await broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 + 2 });
      await actions.claim(3);
      await actions.requeue(3, T0 + 500);
      await actions.claim(3, 'lost');
      await broadcasts.settle('b1', 3, { result: STOPPED, atMs: T0 + 3 });
      expect([await actions.row(1), await actions.row(2), await actions.row(3)]).toEqual([
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
        // The end of its second call is unknown.
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

    it('are settled all at once, or some at a time, with their result, if queued', async () => {
      await actions.claim(1);
      await actions.claim(2);
      await actions.requeue(2, T0 + 500);
      const stop = (most?: number) =>
        broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 + 60, ...(most === undefined ? {} : { most }) });
      expect([await stop(2), await stop(), await stop(2), await stop()]).toEqual([2, 2, 0, 0]);
      expect(
        (await broadcasts.report({ broadcastId: 'b1', limit: 9 })).map(({ state, result }) => [state, result?.reason]),
      ).toEqual([
        ['calling', undefined],
        ['done', 'Busy'],
        ['done', STOPPED.reason],
        ['done', STOPPED.reason],
        ['done', STOPPED.reason],
      ]);
      expect(await actions.row(2)).toMatchObject({ result: BUSY, callId: 'call-2', changedMs: T0 + 60 });
      expect((await actions.row(3)).result).toEqual(STOPPED);
      expect((await broadcasts.counts('b1')).reasons).toEqual({ Busy: 1, [STOPPED.reason]: 3 });
      // A live call may still lead to a retry: the stopped broadcast decides about it when the call ends.
      await actions.requeue(1, T0 + 900);
      expect(await broadcasts.nextDueMs('b1')).toBe(T0 + 900);
      expect([await stop(), (await actions.row(1)).result]).toEqual([1, BUSY]);
    });

    it('are returned a few at a time while they are being called', async () => {
      for (const number of [5, 1, 4, 2]) await actions.claim(number);
      expect([numbersOf(await broadcasts.calling('b1', 3)), numbersOf(await broadcasts.calling('b1', 9))]).toEqual([
        [1, 2, 4],
        [1, 2, 4, 5],
      ]);
    });

    it('are kept separately for each broadcast', async () => {
      await actions.create('b2', 5);
      await actions.claim(1);
      await actions.requeue(1, T0);
      await actions.claim(2, 'call-2', 'b2');
      await broadcasts.settle('b2', 3, { result: STOPPED, atMs: T0 });
      await broadcasts.settleQueued('b2', { result: STOPPED, atMs: T0 });
      expect(await broadcasts.counts('b1')).toEqual({
        numbers: 5,
        queued: 5,
        calling: 0,
        done: 0,
        success: 0,
        failed: 0,
        reasons: {},
        attempts: 1,
      });
      expect(await broadcasts.counts('b2')).toMatchObject({ queued: 0, calling: 1, done: 4, attempts: 1 });
      expect([await actions.due(), numbersOf(await broadcasts.due('b2', T0, 9))]).toEqual([[1, 2, 3, 4, 5], []]);
      expect([await broadcasts.calling('b1', 9), numbersOf(await broadcasts.calling('b2', 9))]).toEqual([[], [2]]);
      expect((await actions.row(1, 'b2')).attempts).toBe(0);
    });
  });
}
