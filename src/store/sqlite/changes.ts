/** The list of changes in SQLite, bounded. */
import type { ChangeStore, ListedChange } from '../../calls/settings/change-store.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const MAX_CHANGES = 10_000;

export function sqliteChanges({ database, transaction }: StoreParts): ChangeStore {
  const add = database.prepare('INSERT INTO changes (at_ms, who, what, before, after) VALUES (?, ?, ?, ?, ?)');
  const forget = database.prepare('DELETE FROM changes WHERE change_no <= (SELECT max(change_no) FROM changes) - ?');
  const list = database.prepare(
    'SELECT change_no, at_ms, who, what, before, after FROM changes WHERE change_no < ? ORDER BY change_no DESC LIMIT ?',
  );
  return {
    add: ({ atMs, who, what, before, after }) =>
      transaction(() => {
        add.run(atMs, who, what, before ?? null, after ?? null);
        forget.run(MAX_CHANGES);
      }),
    list: ({ limit, beforeNo = Number.MAX_SAFE_INTEGER }) =>
      list.all(beforeNo, limit).map((row) => recordOf<ListedChange>(row)),
  };
}
