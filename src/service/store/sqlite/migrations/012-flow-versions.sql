-- Texts of flows by their version, so that a call of then can be drawn; and who changed what.
CREATE TABLE IF NOT EXISTS flow_versions (
  hash     TEXT PRIMARY KEY,
  name     TEXT NOT NULL,
  text     TEXT NOT NULL,
  author   TEXT,
  first_ms INTEGER NOT NULL,
  -- When it was taken, or gave way to another.
  last_ms  INTEGER NOT NULL,
  in_force INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS flow_versions_of_flow ON flow_versions (name, last_ms);

CREATE TABLE IF NOT EXISTS changes (
  change_no INTEGER PRIMARY KEY,
  at_ms     INTEGER NOT NULL,
  who       TEXT NOT NULL,
  what      TEXT NOT NULL,
  before    TEXT,
  after     TEXT
) STRICT;
