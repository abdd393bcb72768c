/**
 * Used tokens in Redis: each is a key whose value identifies its use, held for as long as any node may accept the
 * token. While Redis is unavailable no token is accepted, because another node may have accepted it. Neighbour:
 * `shared.lua` (`cw_hold`).
 *
 * Invariants
 *  - A token is accepted for the one use that Redis confirmed within two seconds.
 *  - A use that is confirmed later is not accepted and is undone, so that the token remains valid.
 */
import type { Clock } from '../../../../base/core/clock.ts';
import { drawBytes } from '../../../../base/core/ids.ts';
import type { UsedTokens } from '../../../../base/core/single-use-tokens.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import { inTime } from '../connection/in-time.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';

export interface RedisUsedTokenParts {
  groups: CommandGroups;
  reader: Reader;
  /** Holds tokens that this node accepted before it joined a cluster. */
  local: UsedTokens;
  clock: Clock;
}

/** Twice the maximum clock offset of an active node: on a node whose clock is behind, a token is valid for longer. */
const CLOCKS_APART_MS = 60_000;
/** Identifies one use uniquely. */
const USE_BYTES = 12;

export function redisUsedTokens({ groups, reader, local, clock }: RedisUsedTokenParts): UsedTokens {
  /** Does not collide with holds of receipts, whose names contain a space. */
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
          // The call may still be carried out later: groups keep their order, so the release follows it.
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
