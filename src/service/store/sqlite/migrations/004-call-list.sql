-- Lists of a project's calls, the newest first.
CREATE INDEX calls_of_project ON calls (project_id, started_ms, call_no);
