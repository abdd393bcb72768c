/** Reports on numbers: counts, pages, and answers. Part of `broadcast-store-contract.ts`. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import {
  ANSWERED,
  attemptOf,
  type BroadcastActions,
  broadcastActions,
  numbersOf,
  phoneOf,
  STOPPED,
} from './broadcast-fixtures.ts';
import { T0 } from './call-fixtures.ts';

/** `store`: empty, for each test another. */
export function describeReports(store: () => BroadcastStore): void {
  let broadcasts: BroadcastStore;
  let actions: BroadcastActions;
  beforeEach(() => {
    broadcasts = store();
    actions = broadcastActions(broadcasts);
  });

  describe('counts and reports', () => {
    beforeEach(async () => {
      await actions.create('b1', 8);
      for (const number of [1, 2, 3, 4, 5]) await actions.claim(number);
      await broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
      await broadcasts.settle('b1', 2, {
        result: { code: 'success', reason: 'AMD' },
        atMs: T0,
        attempt: attemptOf('call-2'),
      });
      await broadcasts.settle('b1', 3, {
        result: { code: 'failed', reason: 'AMD' },
        atMs: T0,
        attempt: attemptOf('call-3'),
      });
      await actions.requeue(4, T0 + 500);
      await broadcasts.settle('b1', 8, { result: STOPPED, atMs: T0 });
    });

    it('counts the results of numbers, and the calls', async () => {
      expect(await broadcasts.counts('b1')).toEqual({
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

    it('keeps names that are properties of every object', async () => {
      await broadcasts.settle('b1', 6, { result: { code: 'failed', reason: '__proto__' }, atMs: T0 });
      await broadcasts.settle('b1', 7, { result: { code: 'failed', reason: 'constructor' }, atMs: T0 });
      const { reasons } = await broadcasts.counts('b1');
      expect(Object.entries(reasons)).toEqual(
        expect.arrayContaining([
          ['__proto__', 1],
          ['constructor', 1],
        ]),
      );
    });

    it('are paged in the order of the numbers', async () => {
      const page = async (limit: number, after?: number) =>
        numbersOf(await broadcasts.report({ broadcastId: 'b1', limit, ...(after === undefined ? {} : { after }) }));
      expect([await page(3), await page(3, 3), await page(3, 6), await page(3, 8), await page(0)]).toEqual([
        [1, 2, 3],
        [4, 5, 6],
        [7, 8],
        [],
        [],
      ]);
    });

    it('are narrowed down to states, results and numbers', async () => {
      const find = async (query: object) =>
        numbersOf(await broadcasts.report({ broadcastId: 'b1', limit: 99, ...query }));
      expect(await find({ states: ['queued'] })).toEqual([4, 6, 7]);
      expect(await find({ states: ['calling'] })).toEqual([5]);
      expect(await find({ states: ['done'] })).toEqual([1, 2, 3, 8]);
      expect(await find({ states: ['calling', 'done'] })).toEqual([1, 2, 3, 5, 8]);
      expect(await find({ states: ['calling', 'queued'] })).toEqual([4, 5, 6, 7]);
      expect(await find({ states: ['done', 'calling', 'queued'] })).toHaveLength(8);
      expect(await find({ states: [] })).toEqual([]);
      expect(await find({ code: 'success' })).toEqual([1, 2]);
      expect(await find({ code: 'failed' })).toEqual([3, 8]);
      // As in the counts: a number that waits to be called again has no result yet.
      expect(await find({ reason: 'Busy' })).toEqual([]);
      expect(await find({ reason: 'AMD' })).toEqual([2, 3]);
      expect(await find({ reason: 'AMD', code: 'failed', states: ['done'] })).toEqual([3]);
      expect(await find({ code: 'failed', states: ['queued', 'calling'] })).toEqual([]);
      expect(await find({ states: ['queued'], after: 4, limit: 1 })).toEqual([6]);
      expect(await find({ phone: phoneOf(6) })).toEqual([6]);
      expect(await find({ phone: phoneOf(6), states: ['done'] })).toEqual([]);
      expect(await find({ phone: phoneOf(6), after: 6 })).toEqual([]);
      expect(await find({ phone: '' })).toEqual([]);
    });
  });

  describe('user input', () => {
    it('is kept as it is, and found however it is written', async () => {
      const odd = [
        '+33 (6) 12-34.56',
        'sip:Ada.Lovelace@phones.example;transport=tcp',
        "user:o'neil",
        '\'; DROP TABLE broadcast_numbers; -- "',
        'é\u0000\u2028👋',
        '9'.repeat(20_000),
      ];
      await actions.create(
        'b1',
        odd.map((phone) => ({ phone })),
      );
      expect((await broadcasts.report({ broadcastId: 'b1', limit: 99 })).map(({ phone }) => phone)).toEqual(odd);
      const find = async (phone: string) => numbersOf(await broadcasts.report({ broadcastId: 'b1', limit: 9, phone }));
      const found = await Promise.all(
        [
          '336123456',
          '+33612-3456',
          'SIP:ada.lovelace@phones.example;transport=tcp',
          odd[3]!,
          odd[5]!,
          '%',
          '33612345_',
        ].map(find),
      );
      expect(found).toEqual([[1], [1], [2], [4], [6], [], []]);
    });

    it('does not become anything else: keys of input and output are only keys', async () => {
      const odd = JSON.parse(
        '{"__proto__": {"polluted": true}, "constructor": 1, "": null, "a\\"b": ["\\u0000", 1e300]}',
      ) as JsonObject;
      await actions.create('b1', [{ phone: '1', input: odd }, { phone: '2', input: {} }, { phone: '3' }]);
      const inputs = async () =>
        (await broadcasts.report({ broadcastId: 'b1', limit: 9 })).map(({ input }) => JSON.stringify(input));
      expect(await inputs()).toEqual([JSON.stringify(odd), '{}', undefined]);
      const outputs: (Json | undefined)[] = [odd, null, undefined];
      for (const [index, output] of outputs.entries()) {
        await actions.claim(index + 1);
        const attempt = attemptOf(`call-${index + 1}`);
        const whole = output === undefined ? attempt : { ...attempt, output };
        await broadcasts.settle('b1', index + 1, { result: ANSWERED, atMs: T0, attempt: whole });
      }
      const rows = await broadcasts.report({ broadcastId: 'b1', limit: 9 });
      expect(rows.map(({ output }) => JSON.stringify(output))).toEqual([JSON.stringify(odd), 'null', undefined]);
      expect(Object.prototype).not.toHaveProperty('polluted');
    });

    it('keeps personal data only as long as a call is possible', async () => {
      const input = { name: 'Ada' };
      await actions.create(
        'b1',
        ['1', '2', '3', '4'].map((phone) => ({ phone, input })),
      );
      const kept = async () => (await broadcasts.report({ broadcastId: 'b1', limit: 9 })).map((row) => row.input);
      await actions.claim(1);
      await actions.claim(2);
      await broadcasts.requeue('b1', 2, attemptOf('call-2'), ANSWERED, T0);
      await actions.claim(3);
      await broadcasts.release('b1', 3);
      expect(await kept()).toEqual([input, input, input, input]);
      await broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
      await broadcasts.settle('b1', 4, { result: ANSWERED, atMs: T0 });
      expect(await kept()).toEqual([undefined, input, input, undefined]);
      await broadcasts.settleQueued('b1', { result: ANSWERED, atMs: T0 });
      expect(await kept()).toEqual([undefined, undefined, undefined, undefined]);
    });
  });
}
