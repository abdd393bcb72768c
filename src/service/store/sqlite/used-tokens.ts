/** Used tokens in SQLite. While the store is not writable, no token is accepted. */
import type { UsedTokens } from '../../../base/core/single-use-tokens.ts';
import { WriteError } from '../../../base/core/write-error.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteUsedTokens({ database, transaction }: Pick<StoreParts, 'database' | 'transaction'>): UsedTokens {
  const forget = database.prepare('DELETE FROM used_tokens WHERE expires_ms <= ?');
  const find = database.prepare('SELECT 1 FROM used_tokens WHERE token_id = ?');
  const insert = database.prepare('INSERT OR IGNORE INTO used_tokens (token_id, expires_ms) VALUES (?, ?)');
  const isFirst = (tokenId: string, expiresMs: number, nowMs: number): boolean | undefined => {
    try {
      return transaction(() => {
        forget.run(nowMs);
        return insert.run(tokenId, expiresMs).changes > 0;
      });
    } catch (error) {
      if (error instanceof WriteError) return undefined;
      throw error;
    }
  };
  return {
    use: ({ tokenId, expiresMs, nowMs }, done) => done(isFirst(tokenId, expiresMs, nowMs)),
    isUsed: (tokenId, done) => done(find.get(tokenId) !== undefined),
  };
}
