CREATE TABLE deliveries (
  delivery_no INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  project_id  TEXT NOT NULL,
  order_key   TEXT NOT NULL,
  url         TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_ms  INTEGER NOT NULL,
  state       TEXT NOT NULL DEFAULT 'in_line' CHECK (state IN ('in_line', 'beside', 'dead')),
  attempts    INTEGER NOT NULL DEFAULT 0,
  due_ms      INTEGER NOT NULL,
  dead_ms     INTEGER,
  death_cause TEXT
) STRICT;

CREATE INDEX deliveries_in_line ON deliveries (order_key, delivery_no) WHERE state = 'in_line';
CREATE INDEX deliveries_beside ON deliveries (delivery_no) WHERE state = 'beside';
CREATE INDEX deliveries_dead ON deliveries (dead_ms) WHERE state = 'dead';
CREATE INDEX deliveries_dead_of_project ON deliveries (project_id, dead_ms) WHERE state = 'dead';

CREATE TABLE disabled_urls (
  project_id  TEXT NOT NULL,
  url         TEXT NOT NULL,
  disabled_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, url)
) STRICT, WITHOUT ROWID;
