/** The contract of `FlowVersionStore`. */
import { describe, expect, it } from 'vitest';
import type { FlowVersion } from '../../../src/service/calls/flow-files/flow-version-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { recordOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const version = (hash: string, firstMs: number, more: Partial<FlowVersion> = {}): FlowVersion => ({
  ...{ hash, name: 'greeting', text: `flow: greeting # ${hash}\r\n`, firstMs },
  ...more,
});

export function runFlowVersionStoreContract(make: MakeStoreHarness): void {
  describe('flow version store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const hashes = (): string[] => store.flowVersions.list('greeting').map(({ hash }) => hash);

    it('keeps each version as it was written, the one in force first', () => {
      const [one, two] = [version('1', T0), version('2', T0 + 10, { author: 'ann' })];
      const other = version('9', T0, { name: 'other' });
      store.flowVersions.keep([one, other]);
      store.flowVersions.keep([two]);
      expect(store.flowVersions.find('1')).toEqual({ ...one, number: 1 });
      expect(store.flowVersions.find('3')).toBeUndefined();
      expect(store.flowVersions.list('greeting')).toEqual([
        { hash: '2', text: two.text, author: 'ann', firstMs: T0 + 10, number: 2, isInForce: true, calls: 0 },
        { hash: '1', text: one.text, firstMs: T0, number: 1, isInForce: false, calls: 0 },
      ]);
      expect(store.flowVersions.list('other')).toMatchObject([{ hash: '9', number: 1, isInForce: true }]);
    });

    it('knows an old version again: who made it and when stay, its text is the latest', () => {
      store.flowVersions.keep([version('1', T0, { author: 'ann' })]);
      store.flowVersions.keep([version('2', T0 + 1)]);
      store.flowVersions.keep([version('1', T0 + 2, { author: 'bob', text: 'anew' })]);
      expect(store.flowVersions.find('1')).toEqual({ ...version('1', T0, { author: 'ann' }), text: 'anew', number: 1 });
      expect(hashes()).toEqual(['1', '2']);
    });

    it('keeps a candidate behind the one in force, until it is in force itself', () => {
      store.flowVersions.keep([version('1', T0)]);
      store.flowVersions.add(version('2', T0 + 1, { author: 'ann' }));
      expect(store.flowVersions.find('2')).toEqual({ ...version('2', T0 + 1, { author: 'ann' }), number: 2 });
      store.flowVersions.add(version('2', T0 + 2, { author: 'bob', text: 'anew' }));
      expect(store.flowVersions.find('2')).toEqual({
        ...version('2', T0 + 1, { author: 'ann' }),
        text: 'anew',
        number: 2,
      });
      store.flowVersions.add(version('1', T0 + 3, { text: 'not this' }));
      expect(store.flowVersions.find('1')).toEqual({ ...version('1', T0), number: 1 });
      expect(store.flowVersions.list('greeting')).toMatchObject([
        { hash: '1', isInForce: true },
        { hash: '2', author: 'ann', isInForce: false },
      ]);
      store.flowVersions.keep([version('2', T0 + 4)]);
      expect(store.flowVersions.list('greeting')).toMatchObject([
        { hash: '2', isInForce: true },
        { hash: '1', isInForce: false },
      ]);
    });

    it('counts the versions of each flow, and never gives a number twice', async ({ skip }) => {
      const numbers = (): [string, number][] =>
        store.flowVersions.list('greeting').map(({ hash, number }) => [hash, number]);
      store.flowVersions.keep([version('1', T0), version('9', T0, { name: 'other' })]);
      store.flowVersions.keep([version('2', T0 + 1)]);
      store.flowVersions.add(version('3', T0 + 2));
      store.flowVersions.keep([version('1', T0 + 3)]);
      store.flowVersions.add(version('3', T0 + 4, { text: 'again' }));
      expect(numbers().toSorted()).toEqual([
        ['1', 1],
        ['2', 2],
        ['3', 3],
      ]);
      expect([store.flowVersions.numberOf('9'), store.flowVersions.numberOf('4')]).toEqual([1, undefined]);
      await store.prune({ callsEndedBeforeMs: T0 + 1000, deadBeforeMs: 0 });
      expect(numbers()).toEqual([['1', 1]]);
      await reopen(skip);
      store.flowVersions.keep([version('4', T0 + 5)]);
      expect(numbers()).toEqual([
        ['4', 4],
        ['1', 1],
      ]);
    });

    it('counts the calls of each', async () => {
      store.flowVersions.keep([version('1', T0)]);
      store.flowVersions.keep([version('2', T0)]);
      for (const [callId, flowHash, flow] of [
        ['a', '1', 'greeting'],
        ['b', '2', 'greeting'],
        ['c', '2', 'greeting'],
        ['d', '2', 'other'],
      ] as const) {
        await store.calls.commit(writeOf(callId, [1], { record: recordOf(callId, { flow, flowHash }) }));
      }
      expect(store.flowVersions.list('greeting')).toMatchObject([
        { hash: '2', calls: 2 },
        { hash: '1', calls: 1 },
      ]);
    });

    it('keeps the 300 latest of a flow', () => {
      for (let n = 0; n < 303; n++) store.flowVersions.keep([version(`v${n}`, T0 + n)]);
      const kept = hashes();
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([300, 'v302', 'v3']);
    });

    it('forgets what gave way as long ago as the calls that are forgotten, but never what is in force', async () => {
      store.flowVersions.keep([version('1', T0)]);
      store.flowVersions.keep([version('2', T0 + 10)]);
      store.flowVersions.keep([version('3', T0 + 20)]);
      await store.prune({ callsEndedBeforeMs: T0 + 15, deadBeforeMs: 0 });
      expect(hashes()).toEqual(['3', '2']);
      await store.prune({ callsEndedBeforeMs: T0 + 1000, deadBeforeMs: 0 });
      expect(hashes()).toEqual(['3']);
    });

    it('still has them after it was closed and opened again', async ({ skip }) => {
      store.flowVersions.keep([version('1', T0)]);
      await reopen(skip);
      expect(store.flowVersions.find('1')).toEqual({ ...version('1', T0), number: 1 });
    });
  });
}
