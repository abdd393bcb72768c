/** Call detail records of video rooms in SQLite. */
import type { CallDetail, CallDetailStore } from '../../rooms/call-detail.ts';
import { pageOf, recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteCallDetails({ database, transaction }: StoreParts): CallDetailStore {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO call_details (cdr_id, project_id, room_id, conf_num, at_ms, body) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const list = database.prepare(
    `SELECT detail_no, cdr_id, project_id, room_id, conf_num, at_ms, body FROM call_details
     WHERE project_id = :projectId AND detail_no > :after
       AND (:confNum IS NULL OR conf_num = :confNum) AND (:roomId IS NULL OR room_id = :roomId)
       AND at_ms >= :fromMs AND at_ms < :beforeMs
     ORDER BY detail_no LIMIT :limit`,
  );
  return {
    add({ cdrId, projectId, roomId, confNum, atMs, body }) {
      transaction(() => insert.run(cdrId, projectId, roomId, confNum, atMs, JSON.stringify(body)));
    },
    list({ projectId, confNum = null, roomId = null, fromMs = 0, beforeMs = Number.MAX_SAFE_INTEGER, ...page }) {
      const { limit, after = 0 } = page;
      const rows = list.all({ projectId, confNum, roomId, fromMs, beforeMs, after, limit: limit + 1 });
      const { page: shown, ...more } = pageOf(rows, limit, 'detail_no');
      const details = shown.map(({ detail_no: _, body, ...row }) => {
        return { ...recordOf<CallDetail>(row), body: JSON.parse(String(body)) as CallDetail['body'] };
      });
      return { details, ...more };
    },
  };
}
