-- SIP messages of calls that ended: masked JSON, in parts, because some come after the end. They go with their call.
CREATE TABLE IF NOT EXISTS sip_traces (
  call_no  INTEGER NOT NULL REFERENCES calls (call_no) ON DELETE CASCADE,
  part_no  INTEGER NOT NULL,
  messages TEXT NOT NULL,
  PRIMARY KEY (call_no, part_no)
) STRICT, WITHOUT ROWID;
