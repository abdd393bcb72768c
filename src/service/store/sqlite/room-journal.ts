/** The journal of video rooms in SQLite. */
import type { RoomJournalEntry, RoomJournalStore } from '../../../media/rooms/room-journal.ts';
import { pageOf, recordOf, type SqlRow } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const COLUMNS = 'entry_no, project_id, room_id, conf_num, at_ms, type, body';

export function sqliteRoomJournal({ database, transaction }: StoreParts): RoomJournalStore {
  const insert = database.prepare(
    'INSERT INTO room_journal (project_id, room_id, conf_num, at_ms, type, body) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const list = database.prepare(
    `SELECT ${COLUMNS} FROM room_journal
     WHERE project_id = :projectId AND room_id = :roomId AND entry_no < :before
       AND (:confNum IS NULL OR conf_num = :confNum)
     ORDER BY entry_no DESC LIMIT :limit`,
  );
  const unfinished = database.prepare(
    `SELECT ${COLUMNS} FROM room_journal AS one
     WHERE NOT EXISTS (SELECT 1 FROM room_journal WHERE conf_num = one.conf_num AND type = 'over')
     ORDER BY entry_no`,
  );
  return {
    add({ projectId, roomId, confNum, atMs, type, body }) {
      transaction(() => insert.run(projectId, roomId, confNum, atMs, type, JSON.stringify(body)));
    },
    list({ projectId, roomId, confNum = null, limit, before = Number.MAX_SAFE_INTEGER }) {
      const rows = list.all({ projectId, roomId, confNum, before, limit: limit + 1 });
      const { page, ...more } = pageOf(rows, limit, 'entry_no');
      return { entries: page.map(entryOf), ...more };
    },
    unfinished: () => [...Map.groupBy(unfinished.all().map(entryOf), ({ confNum }) => confNum).values()],
  };
}

const entryOf = ({ entry_no: _, body, ...row }: SqlRow): RoomJournalEntry => ({
  ...recordOf<RoomJournalEntry>(row),
  body: JSON.parse(String(body)) as RoomJournalEntry['body'],
});
