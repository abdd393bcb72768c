-- Lists of the calls of all projects, the newest first.
CREATE INDEX IF NOT EXISTS calls_by_start ON calls (started_ms, call_no);
