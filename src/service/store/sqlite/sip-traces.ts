/** SIP messages of calls in SQLite. They are deleted with their call, by a foreign key of the migration. */
import type { CapturedSip } from '../../../base/core/sip-capture.ts';
import type { SipTraceStore } from '../../observers/sip/trace-store.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteSipTraces({ database, group }: StoreParts): SipTraceStore {
  const insert = database.prepare(
    `INSERT INTO sip_traces (call_no, part_no, messages)
     SELECT call_no, (SELECT count(*) FROM sip_traces WHERE sip_traces.call_no = calls.call_no), ?
     FROM calls WHERE call_id = ?`,
  );
  const select = database.prepare(
    'SELECT messages FROM sip_traces WHERE call_no = (SELECT call_no FROM calls WHERE call_id = ?) ORDER BY part_no',
  );
  return {
    append(callId, messages) {
      const text = JSON.stringify(messages);
      return group.write(`sip ${callId}`, () => insert.run(text, callId));
    },
    list: (callId) => select.all(callId).flatMap((row) => JSON.parse(String(row['messages'])) as CapturedSip[]),
  };
}
