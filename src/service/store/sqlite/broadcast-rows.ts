/** Reads rows of `broadcast_numbers`. */
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { JsonObject } from '../../../base/core/json.ts';
import type { NumberRow, Result } from '../../calls/broadcast/broadcast.ts';

/** Columns in the order that `numberRowOf` expects. */
export const COLUMNS = `number, phone, input, stage, attempts, due_ms, changed_ms, call_id, code, reason, cause, answered_ms,
  ended_ms, answered_by, output`;

/** Returns rows as arrays: building objects with fifteen names costs more than reading the rows. */
export function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}

export const rowsOf = (statement: StatementSync, ...values: SQLInputValue[]): SQLOutputValue[][] =>
  statement.all(...values) as unknown as SQLOutputValue[][];

export function newRowOf([number, phone, input, dueMs, changedMs]: SQLOutputValue[]): NumberRow {
  const row: NumberRow = {
    number: Number(number),
    phone: String(phone),
    state: 'queued',
    attempts: 0,
    dueMs: Number(dueMs),
    changedMs: Number(changedMs),
  };
  if (input !== null) row.input = JSON.parse(String(input)) as JsonObject;
  return row;
}

export function numberRowOf(columns: SQLOutputValue[]): NumberRow {
  const [number, phone, input, stage, attempts, dueMs, changedMs, callId] = columns;
  const row: NumberRow = {
    number: Number(number),
    phone: String(phone),
    state: stage === null ? 'done' : stage === 'calling' ? 'calling' : 'queued',
    attempts: Number(attempts),
    dueMs: Number(dueMs),
    changedMs: Number(changedMs),
  };
  if (input !== null) row.input = JSON.parse(String(input)) as JsonObject;
  if (callId !== null) row.callId = String(callId);
  if (stage !== 'calling') addEnd(row, columns);
  return row;
}

function addEnd(row: NumberRow, columns: SQLOutputValue[]): void {
  const [code, reason, cause, answeredMs, endedMs, answeredBy, output] = columns.slice(8);
  if (code === null) return;
  row.result = { code: code as Result['code'], reason: String(reason) };
  if (cause !== null) row.result.cause = Number(cause);
  if (answeredMs !== null) row.answeredMs = Number(answeredMs);
  if (endedMs !== null) row.endedMs = Number(endedMs);
  if (answeredBy !== null) row.answeredBy = answeredBy as NonNullable<NumberRow['answeredBy']>;
  if (output !== null) row.output = JSON.parse(String(output)) as NonNullable<NumberRow['output']>;
}
