-- Versions of a flow are counted from 1. A number is never given twice, even after its version was deleted.
ALTER TABLE flow_versions ADD COLUMN version_no INTEGER NOT NULL DEFAULT 0;

UPDATE flow_versions SET version_no = (
  SELECT count(*) FROM flow_versions AS other
  WHERE other.name = flow_versions.name
  AND (other.first_ms, other.rowid) <= (flow_versions.first_ms, flow_versions.rowid)
);

CREATE TABLE IF NOT EXISTS flow_version_counts (
  name   TEXT PRIMARY KEY,
  latest INTEGER NOT NULL
) STRICT;

INSERT INTO flow_version_counts (name, latest) SELECT name, max(version_no) FROM flow_versions GROUP BY name;
