/** The contract of `UsedTokens`. */
import { describe, expect, it } from 'vitest';
import type { UsedTokens } from '../../../src/base/core/single-use-tokens.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const NOW = 1_700_000_000_000;

/** Uses a token that is good for another minute. */
export const use = (usedTokens: UsedTokens, tokenId: string, nowMs = NOW): Promise<boolean | undefined> =>
  new Promise((resolve) => usedTokens.use({ tokenId, expiresMs: NOW + 60_000, nowMs }, resolve));

export const isUsed = (usedTokens: UsedTokens, tokenId: string): Promise<boolean | undefined> =>
  new Promise((resolve) => usedTokens.isUsed(tokenId, resolve));

export function runUsedTokensContract(make: MakeStoreHarness): void {
  describe('used tokens contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('takes each token once', async () => {
      expect(await isUsed(store.usedTokens, 'a')).toBe(false);
      expect(await use(store.usedTokens, 'a')).toBe(true);
      expect(await isUsed(store.usedTokens, 'a')).toBe(true);
      expect(await use(store.usedTokens, 'a', NOW + 59_999)).toBe(false);
      expect(await isUsed(store.usedTokens, 'b')).toBe(false);
      expect(await use(store.usedTokens, 'b')).toBe(true);
    });

    it('takes a token once that is used many times at the same moment', async () => {
      const uses = await Promise.all(Array.from({ length: 20 }, () => use(store.usedTokens, 'a')));
      expect(uses.filter((isFirst) => isFirst)).toHaveLength(1);
    });

    it('uses nothing up by a look', async () => {
      await isUsed(store.usedTokens, 'a');
      expect(await use(store.usedTokens, 'a')).toBe(true);
    });

    it('still has the used tokens after it was closed and opened again', async ({ skip }) => {
      await use(store.usedTokens, 'a');
      await reopen(skip);
      expect(await use(store.usedTokens, 'a')).toBe(false);
      expect(await isUsed(store.usedTokens, 'a')).toBe(true);
    });
  });
}
