CREATE TABLE IF NOT EXISTS receipts (
  project_id TEXT NOT NULL,
  key        TEXT NOT NULL,
  request    TEXT NOT NULL,
  status     INTEGER NOT NULL,
  body       TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, key)
) STRICT;

CREATE INDEX IF NOT EXISTS receipts_by_age ON receipts (created_ms);
CREATE INDEX IF NOT EXISTS receipts_of_project ON receipts (project_id, created_ms);
