-- What happened in the sessions of video rooms.
CREATE TABLE IF NOT EXISTS room_journal (
  entry_no   INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL,
  room_id    TEXT NOT NULL,
  conf_num   TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  type       TEXT NOT NULL,
  body       TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS room_journal_of_room ON room_journal (project_id, room_id, entry_no);
CREATE INDEX IF NOT EXISTS room_journal_of_session ON room_journal (conf_num, type);
CREATE INDEX IF NOT EXISTS room_journal_by_time ON room_journal (at_ms);
