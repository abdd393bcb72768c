/** Call detail records of video rooms in SQLite. */
import type { CallDetail, CallDetailStore } from '../../../media/rooms/call-detail.ts';
import { recordOf } from './rows.ts';
import { pagesOf } from './session-pages.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteCallDetails({ database, transaction }: StoreParts): CallDetailStore {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO call_details (cdr_id, project_id, room_id, conf_num, at_ms, body) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertFeedback = database.prepare(
    "UPDATE call_details SET body = json_set(body, '$.feedback', json(?)) WHERE cdr_id = ?",
  );
  const pages = pagesOf(database, {
    table: 'call_details',
    number: 'detail_no',
    columns: 'cdr_id, project_id, room_id, conf_num, at_ms, body',
  });
  return {
    add({ cdrId, projectId, roomId, confNum, atMs, body }) {
      transaction(() => insert.run(cdrId, projectId, roomId, confNum, atMs, JSON.stringify(body)));
    },
    addFeedback({ cdrId }, feedback) {
      transaction(() => insertFeedback.run(JSON.stringify(feedback), cdrId));
    },
    list(query) {
      const { page, ...next } = pages(query);
      const details = page.map(({ detail_no: _, body, ...row }) => {
        return { ...recordOf<CallDetail>(row), body: JSON.parse(String(body)) as CallDetail['body'] };
      });
      return { details, ...next };
    },
  };
}
