-- Call detail records of people in video rooms.
CREATE TABLE IF NOT EXISTS call_details (
  detail_no  INTEGER PRIMARY KEY,
  cdr_id     TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  room_id    TEXT NOT NULL,
  conf_num   TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  body       TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS call_details_of_room ON call_details (project_id, room_id, at_ms);
CREATE INDEX IF NOT EXISTS call_details_of_session ON call_details (project_id, conf_num);
CREATE INDEX IF NOT EXISTS call_details_by_time ON call_details (at_ms);
