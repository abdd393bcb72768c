/**
 * Used tokens in Redis: each is a key with its use as value, held for as long as a node may take the token. While Redis is
 * away no token is let in: it could be one that was used at another node. Neighbour: `shared.lua` (`cw_hold`).
 *
 * Invariants
 *  - a token is let in by the one use that Redis confirmed within two seconds;
 *  - a use that was confirmed later lets nobody in and is taken back, so that the token stays good.
 */
import type { Clock } from '../../core/clock.ts';
import { drawBytes } from '../../core/ids.ts';
import type { UsedTokens } from '../../core/single-use-tokens.ts';
import type { CommandGroups } from './command-groups.ts';
import { inTime } from './in-time.ts';
import type { Reader } from './reader.ts';
import { tagOf } from './shards.ts';

export interface RedisUsedTokenParts {
  groups: CommandGroups;
  reader: Reader;
  /** Knows tokens that this node took before it was one of several. */
  local: UsedTokens;
  clock: Clock;
}

/** Twice as far as the clock of a node that takes calls may be off: to a node that is behind, a token is good for longer. */
const CLOCKS_APART_MS = 60_000;
/** Names one use among all of them. */
const USE_BYTES = 12;

export function redisUsedTokens({ groups, reader, local, clock }: RedisUsedTokenParts): UsedTokens {
  /** Receipts are held by names with a blank. */
  const nameOf = (tokenId: string): string => `token/${tokenId}`;
  const isUsedHere = (tokenId: string, done: (isUsed: boolean | undefined) => void, elsewhere: () => void): void =>
    local.isUsed(tokenId, (isUsed) => (isUsed === false ? elsewhere() : done(isUsed)));

  return {
    use({ tokenId, expiresMs, nowMs }, done) {
      const tag = tagOf(tokenId);
      const use = [nameOf(tokenId), drawBytes(USE_BYTES).toString('base64url')];
      const forMs = Math.ceil(expiresMs - nowMs) + CLOCKS_APART_MS;
      const ask = (): void =>
        inTime(clock, groups.call('cw_hold', tag, [...use, `${forMs}`]), (reply) => {
          // It may still be done: groups keep their order.
          if (reply === undefined) groups.call('cw_let_go', tag, use).catch(() => undefined);
          done(reply === undefined ? undefined : reply === 1);
        });
      isUsedHere(tokenId, (isUsed) => done(isUsed === undefined ? undefined : false), ask);
    },
    isUsed(tokenId, done) {
      isUsedHere(tokenId, done, () => {
        const found = reader.run((client) => client.exists(`${tagOf(tokenId)}:held:${nameOf(tokenId)}`));
        inTime(clock, found, (reply) => done(reply === undefined ? undefined : reply === 1));
      });
    },
  };
}
