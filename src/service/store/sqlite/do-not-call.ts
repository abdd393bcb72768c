/** Do-not-call lists of projects. Entries stay until they are removed explicitly. */
import type { DatabaseSync } from 'node:sqlite';
import type { DoNotCallStore } from '../../calls/broadcast/broadcast-store.ts';
import type { RunInTransaction } from './transaction.ts';

export function sqliteDoNotCall(database: DatabaseSync, transaction: RunInTransaction): DoNotCallStore {
  const insert = database.prepare(
    'INSERT INTO do_not_call (project_id, key, added_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare('DELETE FROM do_not_call WHERE project_id = ? AND key = ?');
  const has = database.prepare('SELECT 1 FROM do_not_call WHERE project_id = ? AND key = ?');
  const list = database.prepare(
    'SELECT key, added_ms FROM do_not_call WHERE project_id = ? AND key > ? ORDER BY key LIMIT ?',
  );
  const count = database.prepare('SELECT count(*) AS count FROM do_not_call WHERE project_id = ?');
  return {
    add: async (projectId, keys, atMs) =>
      transaction(() => {
        let added = 0;
        for (const key of keys) added += Number(insert.run(projectId, key, Math.round(atMs)).changes);
        return added;
      }),
    remove: async (projectId, key) => transaction(() => remove.run(projectId, key).changes > 0),
    has: async (projectId, key) => has.get(projectId, key) !== undefined,
    list: async ({ projectId, after, limit }) =>
      list
        .all(projectId, after ?? '', limit)
        .map((row) => ({ key: String(row['key']), addedMs: Number(row['added_ms']) })),
    count: async (projectId) => Number(count.get(projectId)!['count']),
  };
}
