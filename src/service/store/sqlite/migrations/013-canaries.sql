-- Versions of flows that some of the callers get; the last one of each flow.
CREATE TABLE IF NOT EXISTS canaries (
  name    TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  is_on   INTEGER NOT NULL,
  canary  TEXT NOT NULL
) STRICT;
