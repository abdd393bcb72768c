-- whole: all its numbers are there. One that is being written, or being forgotten, is there for nobody.
CREATE TABLE broadcasts (
  broadcast_no INTEGER PRIMARY KEY,
  broadcast_id TEXT NOT NULL,
  project_id   TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('initiated', 'running', 'completed', 'stopped', 'failed')),
  whole        INTEGER NOT NULL DEFAULT 0,
  created_ms   INTEGER NOT NULL,
  started_ms   INTEGER,
  ended_ms     INTEGER,
  error        TEXT,
  numbers      INTEGER NOT NULL,
  ordered      TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX broadcasts_by_id ON broadcasts (broadcast_id) WHERE whole = 1;
CREATE INDEX broadcasts_of_project ON broadcasts (project_id, broadcast_no) WHERE whole = 1;
CREATE INDEX broadcasts_unfinished ON broadcasts (broadcast_no) WHERE whole = 1 AND ended_ms IS NULL;
CREATE INDEX broadcasts_by_end ON broadcasts (ended_ms) WHERE whole = 1 AND ended_ms IS NOT NULL;
CREATE INDEX broadcasts_in_pieces ON broadcasts (broadcast_no) WHERE whole = 0;

-- stage: 'new' was never called, 'again' was and will be, 'calling' has a call now; one that has its result has no stage.
-- (Checked without IN, which would make a table of its own for each row that is written.)
-- What follows is of the last call that is over; call_id is of the one that goes on, last_call_id of the one before it.
CREATE TABLE broadcast_numbers (
  broadcast_no INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  phone        TEXT NOT NULL,
  dialled      TEXT NOT NULL,
  input        TEXT,
  stage        TEXT DEFAULT 'new' CHECK (stage = 'new' OR stage = 'again' OR stage = 'calling'),
  attempts     INTEGER NOT NULL DEFAULT 0,
  due_ms       INTEGER NOT NULL,
  changed_ms   INTEGER NOT NULL,
  call_id      TEXT,
  last_call_id TEXT,
  code         TEXT,
  reason       TEXT,
  cause        INTEGER,
  answered_ms  INTEGER,
  ended_ms     INTEGER,
  answered_by  TEXT,
  output       TEXT,
  PRIMARY KEY (broadcast_no, number)
) STRICT, WITHOUT ROWID;

-- A number leaves it with its result: nothing that is done is ever gone through again.
CREATE INDEX broadcast_numbers_open ON broadcast_numbers (broadcast_no, stage, due_ms, number) WHERE stage IS NOT NULL;
CREATE INDEX broadcast_numbers_dialled ON broadcast_numbers (broadcast_no, dialled);

-- How many numbers came to which result, and how many calls are over; those that were to be tried again are under ''.
CREATE TABLE broadcast_tallies (
  broadcast_no INTEGER NOT NULL,
  code         TEXT NOT NULL,
  reason       TEXT NOT NULL,
  numbers      INTEGER NOT NULL,
  calls        INTEGER NOT NULL,
  PRIMARY KEY (broadcast_no, code, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE do_not_call (
  project_id TEXT NOT NULL,
  key        TEXT NOT NULL,
  added_ms   INTEGER NOT NULL,
  PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;
