/** Log lines of a call: one wide line, with the call's id, for each journal entry that an operator needs. */
import { defined } from '../../base/core/json.ts';
import { forKind, type KindTable } from '../../base/core/kind-table.ts';
import type { LogFields } from '../../base/core/log.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: LogFields;
}

const LINES: KindTable<JournalEntry, [CallRecord], LogLine | undefined> = {
  log: ({ level, message, fields }, { callId }) => ({
    level,
    message: 'flow.log',
    fields: { callId, said: message, fields },
  }),
  diagnostic: ({ code, message: why }, { callId }) => ({
    level: 'warn',
    message: 'call.diagnostic',
    fields: { callId, code, why },
  }),
  left: ({ step, verb, outcome, fault }, { callId }) =>
    fault && { level: 'warn', message: 'step.failed', fields: { callId, step, verb, outcome, fault } },
  ended: ({ reason: ended, fault }, record) => ({
    level: ended === 'fault' ? 'error' : 'info',
    message: 'call.ended',
    fields: { ...endFields(record), ended, fault },
  }),
};

/** `record` is the call after the entry. Undefined if the entry is not logged. */
export const logLineOf = (entry: JournalEntry, record: CallRecord): LogLine | undefined =>
  forKind(LINES, entry)?.(entry, record);

function endFields(record: CallRecord): LogFields {
  const { callId, broadcastId, direction, from, to, flow, state, cause, startedMs, answeredMs, endedMs } = record;
  const { sip, hangupBy } = record;
  return defined({
    callId,
    broadcastId,
    direction,
    from,
    to,
    flow,
    state,
    cause: cause?.code,
    reason: cause?.reason,
    hangupBy,
    sipCallId: sip?.callId,
    sipStatus: sip?.status,
    gateway: sip?.gateway,
    durationMs: (endedMs ?? startedMs) - startedMs,
    talkMs: answeredMs === undefined ? 0 : (endedMs ?? answeredMs) - answeredMs,
  });
}
