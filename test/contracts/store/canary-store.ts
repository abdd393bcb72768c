/** The contract of `CanaryStore`. */
import { describe, expect, it } from 'vitest';
import { type Canary, emptySide } from '../../../src/service/calls/canaries/canary.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { T0 } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const canaryOf = (version: string, more: Partial<Canary> = {}): Canary => ({
  ...{ name: 'greeting', version, percent: 12.5, sinceMs: T0 },
  backWhen: { errorsWorseBy: 5, abandonedWorseBy: 10, afterCalls: 20 },
  compared: { canary: { ...emptySide(version), calls: 3, exits: { 'say done': 2 } }, inForce: emptySide('other') },
  ...more,
});

const endedAt = (atMs: number): Partial<Canary> => ({ ended: { why: 'errors', atMs, by: 'callweave' } });

export function runCanaryStoreContract(make: MakeStoreHarness): void {
  describe('canary store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const hashes = (): string[] => store.flowVersions.list('greeting').map(({ hash }) => hash);
    const textOf = (hash: string): string => `flow: greeting # ${hash}`;

    it('keeps the last one of each flow', () => {
      const other = canaryOf('9', { name: 'other', numbers: ['1000'] });
      store.canaries.put(canaryOf('1'));
      store.canaries.put(other);
      store.canaries.put(canaryOf('2', endedAt(T0 + 5)));
      expect(store.canaries.list()).toEqual([canaryOf('2', endedAt(T0 + 5)), other]);
    });

    it('keeps the version of one that is on whatever its age, and of one that has ended as long as its calls', async () => {
      store.flowVersions.add({ hash: '1', name: 'greeting', text: textOf('1'), firstMs: T0 });
      store.flowVersions.add({ hash: '2', name: 'greeting', text: textOf('2'), firstMs: T0 });
      store.canaries.put(canaryOf('1'));
      await store.prune({ callsEndedBeforeMs: T0 + 1000, deadBeforeMs: 0 });
      expect(hashes()).toEqual(['1']);
      store.canaries.put(canaryOf('1', endedAt(T0 + 2000)));
      await store.prune({ callsEndedBeforeMs: T0 + 2000, deadBeforeMs: 0 });
      expect(hashes()).toEqual(['1']);
      await store.prune({ callsEndedBeforeMs: T0 + 2001, deadBeforeMs: 0 });
      expect(hashes()).toEqual([]);
    });

    it('keeps the version of one that is on, whatever number of others there is', () => {
      store.flowVersions.add({ hash: 'old', name: 'greeting', text: textOf('old'), firstMs: T0 });
      store.canaries.put(canaryOf('old'));
      for (let n = 0; n < 305; n++)
        store.flowVersions.add({ hash: `v${n}`, name: 'greeting', text: textOf(`v${n}`), firstMs: T0 + n });
      expect([hashes().includes('old'), hashes().includes('v0')]).toEqual([true, false]);
    });

    it('still has them after it was closed and opened again', async ({ skip }) => {
      store.canaries.put(canaryOf('1'));
      await reopen(skip);
      expect(store.canaries.list()).toEqual([canaryOf('1')]);
    });
  });
}
