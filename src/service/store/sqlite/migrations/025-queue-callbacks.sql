-- Places in queues that are kept for people who are called back: few, read as a whole at the start.
CREATE TABLE queue_callbacks (
  callback_no INTEGER PRIMARY KEY,
  callback_id TEXT NOT NULL UNIQUE,
  callback    TEXT NOT NULL
) STRICT;
