/** Archives of sessions in SQLite, one row each. */
import type { Archive, ArchiveStore } from '../../../media/rooms/archive/archive.ts';
import type { SqlRow } from './rows.ts';
import { pagesOf } from './session-pages.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteArchives({ database, transaction }: StoreParts): ArchiveStore {
  const put = database.prepare(
    `INSERT INTO archives (project_id, room_id, conf_num, at_ms, state, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (conf_num) DO UPDATE SET at_ms = excluded.at_ms, state = excluded.state, body = excluded.body`,
  );
  const remove = database.prepare('DELETE FROM archives WHERE conf_num = ?');
  const find = database.prepare('SELECT body FROM archives WHERE conf_num = ? AND project_id = ?');
  const unfinished = database.prepare("SELECT body FROM archives WHERE state <> 'done' ORDER BY archive_no");
  const old = database.prepare("SELECT body FROM archives WHERE at_ms < ? AND state <> 'open' ORDER BY at_ms LIMIT ?");
  const pages = pagesOf(database, {
    table: 'archives',
    number: 'archive_no',
    columns: 'body',
    more: "state <> 'open'",
  });
  const write = (archive: Archive): void => {
    const { projectId, roomId, confNum, atMs, state } = archive;
    put.run(projectId, roomId, confNum, atMs, state, JSON.stringify(archive));
  };
  return {
    put: (archive) => transaction(() => write(archive)),
    close: (archive) =>
      transaction(() => {
        remove.run(archive.confNum);
        write(archive);
      }),
    find(projectId, confNum) {
      const row = find.get(confNum, projectId);
      return row && archiveOf(row);
    },
    list(query) {
      const { page, ...next } = pages(query);
      return { archives: page.map(archiveOf), ...next };
    },
    unfinished: () => unfinished.all().map(archiveOf),
    olderThan: (beforeMs, most) => old.all(beforeMs, most).map(archiveOf),
    remove: (confNum) => transaction(() => void remove.run(confNum)),
  };
}

const archiveOf = (row: SqlRow): Archive => JSON.parse(String(row['body'])) as Archive;
