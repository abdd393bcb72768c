-- What the admin API provisioned: numbers, prompts, users, routes, schedules.
CREATE TABLE settings (
  setting_no INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL,
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,
  UNIQUE (kind, key)
) STRICT;
