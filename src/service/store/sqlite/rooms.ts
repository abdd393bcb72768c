/** Video rooms in SQLite. */
import type { VideoRoom } from '../../../media/rooms/room.ts';
import type { RoomStore } from '../../../media/rooms/room-store.ts';
import { pageOf, type SqlRow } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteRooms({ database, transaction }: StoreParts): RoomStore {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO rooms (pin, meeting_id, room, project_id, room_id) VALUES (?, ?, ?, ?, ?)',
  );
  const update = database.prepare(
    'UPDATE OR IGNORE rooms SET pin = ?, meeting_id = ?, room = ? WHERE project_id = ? AND room_id = ?',
  );
  const remove = database.prepare('DELETE FROM rooms WHERE project_id = ? AND room_id = ?');
  const find = database.prepare('SELECT room FROM rooms WHERE project_id = ? AND room_id = ?');
  const withPin = database.prepare('SELECT room FROM rooms WHERE project_id = ? AND pin = ?');
  const list = database.prepare(
    `SELECT room_no, room FROM rooms WHERE (:projectId IS NULL OR project_id = :projectId) AND room_no > :after
     ORDER BY room_no LIMIT :limit`,
  );
  const write = (statement: typeof insert, room: VideoRoom): boolean => {
    const { projectId, roomId, sip } = room;
    const values = [sip?.pin ?? null, sip?.meetingId ?? null, JSON.stringify(room), projectId, roomId];
    return transaction(() => statement.run(...values).changes > 0);
  };
  return {
    create: (room) => write(insert, room),
    replace: (room) => write(update, room),
    remove: (projectId, roomId) => transaction(() => remove.run(projectId, roomId).changes > 0),
    find: (projectId, roomId) => roomOf(find.get(projectId, roomId)),
    withPin: (projectId, pin) => roomOf(withPin.get(projectId, pin)),
    list({ projectId = null, limit, after = 0 }) {
      const rows = list.all({ projectId, after, limit: limit + 1 });
      const { page, ...more } = pageOf(rows, limit, 'room_no');
      return { rooms: page.map((row) => roomOf(row)!), ...more };
    },
  };
}

const roomOf = (row: SqlRow | undefined): VideoRoom | undefined =>
  row && (JSON.parse(String(row['room'])) as VideoRoom);
