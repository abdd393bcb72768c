/** Pages of session data; each kind has its own table. */
import type { DatabaseSync } from 'node:sqlite';
import type { SessionQuery } from '../../../media/rooms/session-query.ts';
import { pageOf, type SqlRow } from './rows.ts';

/** `number`: column that defines the order. `more`: additional condition on the table. */
export function pagesOf(
  database: DatabaseSync,
  { table, number, columns, more = 'TRUE' }: { table: string; number: string; columns: string; more?: string },
): (query: SessionQuery) => { page: readonly SqlRow[]; next?: number } {
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
