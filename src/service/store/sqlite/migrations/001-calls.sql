-- call_no keeps the journals of calls that run at the same time next to each other in the tree: few pages per commit.
CREATE TABLE calls (
  call_no    INTEGER PRIMARY KEY,
  call_id    TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER,
  last_seq   INTEGER NOT NULL,
  record     TEXT NOT NULL,
  checkpoint TEXT NOT NULL
) STRICT;

CREATE INDEX calls_unfinished ON calls (started_ms) WHERE ended_ms IS NULL;
CREATE INDEX calls_by_end ON calls (ended_ms) WHERE ended_ms IS NOT NULL;

-- A row holds the entries of one commit, a JSON array: a fraction of the inserts that a row per entry would take.
CREATE TABLE journal (
  call_no   INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  entries   TEXT NOT NULL,
  PRIMARY KEY (call_no, first_seq)
) STRICT, WITHOUT ROWID;
