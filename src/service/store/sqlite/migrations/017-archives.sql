-- What is kept of sessions in video rooms: their recordings, what was made of them, chat and time line.
CREATE TABLE IF NOT EXISTS archives (
  archive_no INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL,
  room_id    TEXT NOT NULL,
  conf_num   TEXT NOT NULL UNIQUE,
  at_ms      INTEGER NOT NULL,
  state      TEXT NOT NULL,
  body       TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS archives_of_room ON archives (project_id, room_id, at_ms);
CREATE INDEX IF NOT EXISTS archives_by_time ON archives (at_ms);
CREATE INDEX IF NOT EXISTS archives_in_work ON archives (state) WHERE state <> 'done';
