CREATE TABLE projects (
  project_no     INTEGER PRIMARY KEY,
  project_id     TEXT NOT NULL UNIQUE,
  name           TEXT NOT NULL,
  key_hash       TEXT NOT NULL,
  webhook_secret TEXT NOT NULL,
  webhook_format TEXT NOT NULL,
  created_ms     INTEGER NOT NULL
) STRICT;
