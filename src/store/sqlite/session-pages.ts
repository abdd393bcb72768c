/** Pages of what is kept of sessions, each kind in a table of its own. */
import type { DatabaseSync } from 'node:sqlite';
import type { SessionQuery } from '../../rooms/session-query.ts';
import { pageOf, type Row } from './rows.ts';

/** `number`: the column that rows are in the order of. `more`: of the table, a condition. */
export function pagesOf(
  database: DatabaseSync,
  { table, number, columns, more = 'TRUE' }: { table: string; number: string; columns: string; more?: string },
): (query: SessionQuery) => { page: readonly Row[]; next?: number } {
  const list = database.prepare(
    `SELECT ${number}, ${columns} FROM ${table}
     WHERE project_id = :projectId AND ${number} > :after AND ${more}
       AND (:confNum IS NULL OR conf_num = :confNum) AND (:roomId IS NULL OR room_id = :roomId)
       AND at_ms >= :fromMs AND at_ms < :beforeMs
     ORDER BY ${number} LIMIT :limit`,
  );
  return ({ projectId, confNum = null, roomId = null, fromMs = 0, beforeMs = Number.MAX_SAFE_INTEGER, ...page }) => {
    const { limit, after = 0 } = page;
    const rows = list.all({ projectId, confNum, roomId, fromMs, beforeMs, after, limit: limit + 1 });
    return pageOf(rows, limit, number);
  };
}
