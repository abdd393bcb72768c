-- Video rooms, and the tokens that were used to enter them.
CREATE TABLE IF NOT EXISTS rooms (
  room_no    INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL,
  room_id    TEXT NOT NULL,
  pin        TEXT,
  meeting_id TEXT UNIQUE,
  room       TEXT NOT NULL,
  UNIQUE (project_id, room_id),
  UNIQUE (project_id, pin)
) STRICT;

CREATE TABLE IF NOT EXISTS used_tokens (
  token_id   TEXT PRIMARY KEY,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS used_tokens_by_expiry ON used_tokens (expires_ms);
