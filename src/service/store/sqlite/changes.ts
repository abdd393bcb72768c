/** Audit log in SQLite, bounded. */
import type { ChangeStore, ListedChange } from '../../calls/audit-log/change-store.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const MAX_CHANGES = 10_000;

export function sqliteChanges({ database, transaction }: StoreParts): ChangeStore {
  const add = database.prepare(
    'INSERT INTO changes (at_ms, who, via, remote, what, keys, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const forgetOldest = database.prepare(
    'DELETE FROM changes WHERE change_no <= (SELECT max(change_no) FROM changes) - ?',
  );
  const forgetBefore = database.prepare('DELETE FROM changes WHERE at_ms < ?');
  const list = database.prepare(
    'SELECT change_no, at_ms, who, via, remote, what, keys, before, after FROM changes WHERE change_no < ? ORDER BY change_no DESC LIMIT ?',
  );
  return {
    add: ({ atMs, who, via, remote, what, keys, before, after }) =>
      transaction(() => {
        const written = keys === undefined ? null : JSON.stringify(keys);
        add.run(atMs, who, via ?? null, remote ?? null, what, written, before ?? null, after ?? null);
        forgetOldest.run(MAX_CHANGES);
      }),
    list: ({ limit, beforeNo = Number.MAX_SAFE_INTEGER }) =>
      list.all(beforeNo, limit).map((row) => {
        const { keys, ...change } = recordOf<Omit<ListedChange, 'keys'> & { keys?: string }>(row);
        return keys === undefined ? change : { ...change, keys: JSON.parse(keys) as string[] };
      }),
    forget: (beforeMs) => transaction(() => Number(forgetBefore.run(beforeMs).changes)),
  };
}
