-- A hundred thousand calls may wait for one receiver: its next events are found without looking at the others.
-- The dead are apart, so that what is still to be sent is all there is in the table of what is still to be sent.
CREATE TABLE dead_deliveries (
  dead_no     INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  project_id  TEXT NOT NULL,
  order_key   TEXT NOT NULL,
  url         TEXT NOT NULL,
  receiver    TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_ms  INTEGER NOT NULL,
  attempts    INTEGER NOT NULL,
  due_ms      INTEGER NOT NULL,
  dead_ms     INTEGER NOT NULL,
  death_cause TEXT NOT NULL
) STRICT;

INSERT INTO dead_deliveries
  (id, project_id, order_key, url, receiver, body, created_ms, attempts, due_ms, dead_ms, death_cause)
  SELECT id, project_id, order_key, url, receiver_of(project_id, url), body, created_ms, attempts, due_ms, dead_ms, death_cause
  FROM deliveries WHERE state = 'dead' ORDER BY dead_ms, delivery_no;

-- sendable: it is the first of its line, or stands beside.
CREATE TABLE waiting_deliveries (
  delivery_no INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  project_id  TEXT NOT NULL,
  order_key   TEXT NOT NULL,
  url         TEXT NOT NULL,
  receiver    TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_ms  INTEGER NOT NULL,
  in_line     INTEGER NOT NULL DEFAULT 1,
  sendable    INTEGER NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,
  due_ms      INTEGER NOT NULL
) STRICT;

INSERT INTO waiting_deliveries
  (delivery_no, id, project_id, order_key, url, receiver, body, created_ms, in_line, sendable, attempts, due_ms)
  SELECT delivery_no, id, project_id, order_key, url, receiver_of(project_id, url), body, created_ms, state = 'in_line',
    state = 'beside' OR row_number() OVER (PARTITION BY order_key, state ORDER BY delivery_no) = 1, attempts, due_ms
  FROM deliveries WHERE state <> 'dead' ORDER BY delivery_no;

DROP TABLE deliveries;
ALTER TABLE waiting_deliveries RENAME TO deliveries;

CREATE INDEX deliveries_in_line ON deliveries (order_key) WHERE in_line = 1;
CREATE INDEX deliveries_of_receiver ON deliveries (receiver, sendable, attempts, due_ms);
CREATE INDEX dead_deliveries_by_death ON dead_deliveries (dead_ms);
CREATE INDEX dead_deliveries_of_project ON dead_deliveries (project_id, dead_ms);

CREATE TRIGGER deliveries_gone AFTER DELETE ON deliveries WHEN old.in_line = 1 BEGIN
  UPDATE deliveries SET sendable = 1 WHERE delivery_no =
    (SELECT delivery_no FROM deliveries WHERE in_line = 1 AND order_key = old.order_key ORDER BY delivery_no LIMIT 1);
END;

CREATE TRIGGER deliveries_passed AFTER UPDATE OF in_line ON deliveries WHEN old.in_line = 1 AND new.in_line = 0 BEGIN
  UPDATE deliveries SET sendable = 1 WHERE delivery_no =
    (SELECT delivery_no FROM deliveries WHERE in_line = 1 AND order_key = old.order_key ORDER BY delivery_no LIMIT 1);
END;
