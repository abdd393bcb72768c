/** The log lines of a call: one wide line for each journal entry that an operator needs, with the call's id. */
import { defined } from '../core/json.ts';
import type { LogFields } from '../core/log.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: LogFields;
}

/** `record` is the call after the entry. Undefined: the entry is not logged. */
export function logLineOf(entry: JournalEntry, record: CallRecord): LogLine | undefined {
  const { callId } = record;
  switch (entry.kind) {
    case 'log':
      return { level: entry.level, message: 'flow.log', fields: { callId, said: entry.message, fields: entry.fields } };
    case 'diagnostic':
      return { level: 'warn', message: 'call.diagnostic', fields: { callId, code: entry.code, why: entry.message } };
    case 'left':
      if (!entry.fault) return undefined;
      return {
        level: 'warn',
        message: 'step.failed',
        fields: { callId, step: entry.step, verb: entry.verb, outcome: entry.outcome, fault: entry.fault },
      };
    case 'ended':
      return {
        level: entry.reason === 'fault' ? 'error' : 'info',
        message: 'call.ended',
        fields: { ...endFields(record), ended: entry.reason, fault: entry.fault },
      };
    default:
      return undefined;
  }
}

function endFields(record: CallRecord): LogFields {
  const { callId, broadcastId, direction, from, to, flow, state, cause, startedMs, answeredMs, endedMs } = record;
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
    durationMs: (endedMs ?? startedMs) - startedMs,
    talkMs: answeredMs === undefined ? 0 : (endedMs ?? answeredMs) - answeredMs,
  });
}
