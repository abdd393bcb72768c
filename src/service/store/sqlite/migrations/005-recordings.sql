CREATE TABLE recordings (
  recording_no INTEGER PRIMARY KEY,
  recording_id TEXT NOT NULL UNIQUE,
  project_id   TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  name         TEXT,
  file         TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('open', 'completed', 'failed')),
  created_ms   INTEGER NOT NULL,
  duration_ms  INTEGER
) STRICT;

CREATE UNIQUE INDEX recordings_by_name ON recordings (project_id, name) WHERE name IS NOT NULL AND state <> 'failed';
CREATE INDEX recordings_open ON recordings (recording_no) WHERE state = 'open';

ALTER TABLE projects ADD COLUMN strict_bridge_state INTEGER NOT NULL DEFAULT 1;
ALTER TABLE projects ADD COLUMN cli_policy TEXT NOT NULL DEFAULT 'own';
