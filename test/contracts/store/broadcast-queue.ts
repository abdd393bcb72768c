/** What becomes of numbers: queued, called, called again, settled. Part of `broadcast-store-contract.ts`. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastStore } from '../../../src/calls/broadcast/broadcast-store.ts';
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

    it('are queued at first, in the order in which they were given', () => {
      const first = { number: 1, phone: phoneOf(1), state: 'queued', attempts: 0, dueMs: T0, changedMs: T0 };
      expect(broadcasts.due('b1', T0, 9)[0]).toEqual(first);
      expect(actions.row(1)).toEqual(first);
      expect([actions.due(), actions.due(T0, 2), actions.due(T0 - 1), actions.due(T0, 0)]).toEqual([
        [1, 2, 3, 4, 5],
        [1, 2],
        [],
        [],
      ]);
      expect(broadcasts.nextDueMs('b1')).toBe(T0);
    });

    it('are claimed once, by the call that is made', () => {
      expect([actions.claim(2), actions.claim(2, 'other'), actions.claim(9), actions.claim(0)]).toEqual([
        true,
        false,
        false,
        false,
      ]);
      expect(actions.due()).toEqual([1, 3, 4, 5]);
      expect(actions.row(2)).toEqual({
        number: 2,
        phone: phoneOf(2),
        state: 'calling',
        attempts: 1,
        dueMs: T0,
        callId: 'call-2',
        changedMs: T0 + 10,
      });
      expect(broadcasts.calling('b1', 9)).toEqual([actions.row(2)]);
    });

    it('are as they were when there was no call after all', () => {
      const fresh = actions.row(1);
      actions.claim(1);
      broadcasts.release('b1', 1);
      expect({ ...actions.row(1), changedMs: T0 }).toEqual(fresh);
      actions.claim(1);
      actions.requeue(1, T0 + 500);
      const again = actions.row(1);
      actions.claim(1, 'never-made');
      broadcasts.release('b1', 1);
      expect({ ...actions.row(1), changedMs: again.changedMs }).toEqual(again);
      expect(broadcasts.counts('b1')).toMatchObject({ queued: 5, calling: 0, attempts: 1 });
      // Nothing is released that was not claimed.
      broadcasts.release('b1', 1);
      expect(actions.row(1).attempts).toBe(1);
    });

    it('wait for the next call with what the last came to', () => {
      actions.claim(3);
      broadcasts.requeue('b1', 3, { ...attemptOf('call-3'), output: { tries: 1 } }, BUSY, T0 + 500);
      expect(actions.row(3)).toEqual({
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
      actions.claim(3, 'second');
      // What is told of a call that goes on is of no other.
      expect(actions.row(3)).toMatchObject({ state: 'calling', callId: 'second', attempts: 2 });
      expect(Object.keys(actions.row(3))).not.toEqual(expect.arrayContaining(['result']));
      expect(actions.row(3)).not.toHaveProperty('output');
      expect(actions.row(3)).not.toHaveProperty('endedMs');
    });

    it('that are due again come before those that were never called, in the order of their time', () => {
      for (const number of [1, 2, 3]) actions.claim(number);
      actions.requeue(3, T0 + 100);
      actions.requeue(1, T0 + 300);
      actions.requeue(2, T0 + 200);
      expect([actions.due(T0 + 99), actions.due(T0 + 100), actions.due(T0 + 200), actions.due(T0 + 300)]).toEqual([
        [4, 5],
        [3, 4, 5],
        [3, 2, 4, 5],
        [3, 2, 1, 4, 5],
      ]);
      expect([actions.due(T0 + 300, 2), actions.due(T0 + 300, 4)]).toEqual([
        [3, 2],
        [3, 2, 1, 4],
      ]);
      expect(broadcasts.due('b1', T0 + 100, 1)[0]).toEqual(actions.row(3));
    });

    it('say when the next of them is due', () => {
      for (const number of [1, 2, 3, 4, 5]) actions.claim(number);
      expect(broadcasts.nextDueMs('b1')).toBeUndefined();
      actions.requeue(2, T0 + 300);
      actions.requeue(4, T0 + 200);
      expect(broadcasts.nextDueMs('b1')).toBe(T0 + 200);
      actions.claim(4);
      expect(broadcasts.nextDueMs('b1')).toBe(T0 + 300);
      broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 });
      expect(broadcasts.nextDueMs('b1')).toBeUndefined();
    });

    it('are never found before they are due, whatever the parts of a millisecond', () => {
      for (const number of [1, 2, 3, 4, 5]) actions.claim(number);
      actions.requeue(1, T0 + 100.4);
      const next = broadcasts.nextDueMs('b1')!;
      expect(actions.due(T0 + 100.3)).toEqual([]);
      expect(actions.due(next)).toEqual([1]);
      expect(next - T0).toBeLessThan(102);
    });

    it('have one result for ever', () => {
      actions.claim(1);
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
      expect(actions.row(1)).toEqual(end);
      broadcasts.settle('b1', 1, { result: BUSY, atMs: T0 + 40, attempt: attemptOf('other') });
      broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 40 });
      broadcasts.release('b1', 1);
      actions.requeue(1, T0);
      expect(actions.claim(1)).toBe(false);
      broadcasts.settleQueued('b1', { result: STOPPED, atMs: T0 + 50 });
      expect(actions.row(1)).toEqual(end);
      expect(broadcasts.counts('b1')).toMatchObject({ done: 5, success: 1, failed: 4, attempts: 1 });
    });

    it('are settled without a call, too', () => {
      broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 + 1 });
      actions.claim(2);
      actions.requeue(2, T0 + 500);
      broadcasts.settle('b1', 2, { result: STOPPED, atMs: T0 + 2 });
      actions.claim(3);
      actions.requeue(3, T0 + 500);
      actions.claim(3, 'lost');
      broadcasts.settle('b1', 3, { result: STOPPED, atMs: T0 + 3 });
      expect([actions.row(1), actions.row(2), actions.row(3)]).toEqual([
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
      actions.claim(1);
      actions.claim(2);
      actions.requeue(2, T0 + 500);
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
      expect(actions.row(2)).toMatchObject({ result: BUSY, callId: 'call-2', changedMs: T0 + 60 });
      expect(actions.row(3).result).toEqual(STOPPED);
      expect(broadcasts.counts('b1').reasons).toEqual({ Busy: 1, [STOPPED.reason]: 3 });
      // A call that goes on may still be one to repeat: what comes of it is for whoever stopped it to say.
      actions.requeue(1, T0 + 900);
      expect(broadcasts.nextDueMs('b1')).toBe(T0 + 900);
      expect([stop(), actions.row(1).result]).toEqual([1, BUSY]);
    });

    it('that are being called are given out a few at a time', () => {
      for (const number of [5, 1, 4, 2]) actions.claim(number);
      expect([numbersOf(broadcasts.calling('b1', 3)), numbersOf(broadcasts.calling('b1', 9))]).toEqual([
        [1, 2, 4],
        [1, 2, 4, 5],
      ]);
    });

    it('of one broadcast are none of another', async () => {
      await actions.create('b2', 5);
      actions.claim(1);
      actions.requeue(1, T0);
      actions.claim(2, 'call-2', 'b2');
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
      expect([actions.due(), numbersOf(broadcasts.due('b2', T0, 9))]).toEqual([[1, 2, 3, 4, 5], []]);
      expect([broadcasts.calling('b1', 9), numbersOf(broadcasts.calling('b2', 9))]).toEqual([[], [2]]);
      expect(actions.row(1, 'b2').attempts).toBe(0);
    });
  });
}
