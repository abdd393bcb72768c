/**
 * The numbers of a broadcast in SQLite, a row each: which may be called now, what became of each, and how many came to
 * what. Neighbours: `broadcasts.ts`, and the migration, which says what the columns mean and keeps the tallies.
 * Invariant: each change is one statement, so that nothing is ever half done and nobody has to wait for it.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Attempt, Callee, Counts, NumberRow, NumberState, Result } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore, ReportQuery } from '../../calls/broadcast/broadcast-store.ts';
import { dialled } from '../../core/dialled.ts';
import type { JsonObject } from '../../core/json.ts';

const COLUMNS = `number, phone, input, stage, attempts, due_ms, changed_ms, call_id, code, reason, cause, answered_ms,
  ended_ms, answered_by, output`;

const IS_IN: Readonly<Record<NumberState, string>> = {
  queued: "stage IN ('new', 'again')",
  calling: "stage = 'calling'",
  done: 'stage IS NULL',
};

/** As in the port, with the number of the broadcast in the place of its id. */
type Of<Method> = Method extends (broadcastId: string, ...rest: infer Rest) => infer Made
  ? (broadcastNo: number, ...rest: Rest) => Made
  : never;

export type BroadcastNumbers = {
  [Name in 'due' | 'nextDueMs' | 'claim' | 'release' | 'requeue' | 'settle' | 'settleQueued' | 'calling']: Of<
    BroadcastStore[Name]
  >;
} & {
  add(broadcastNo: number, number: number, callee: Callee, atMs: number): void;
  counts(broadcastNo: number, numbers: number): Counts;
  report(broadcastNo: number, query: ReportQuery): NumberRow[];
  /** Deletes at most so many. False: there was nothing left to delete. */
  remove(broadcastNo: number, most: number): boolean;
};

export function sqliteBroadcastNumbers(database: DatabaseSync): BroadcastNumbers {
  const insert = database.prepare(
    `INSERT INTO broadcast_numbers (broadcast_no, number, phone, dialled, input, due_ms, changed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const dueAgain = arrays(
    database.prepare(
      `SELECT ${COLUMNS} FROM broadcast_numbers
       WHERE broadcast_no = ? AND stage = 'again' AND due_ms <= ? ORDER BY due_ms, number LIMIT ?`,
    ),
  );
  const dueNew = arrays(
    database.prepare(
      `SELECT number, phone, input, due_ms, changed_ms FROM broadcast_numbers
       WHERE broadcast_no = ? AND stage = 'new' AND due_ms <= ? ORDER BY due_ms, number LIMIT ?`,
    ),
  );
  const nextDue = arrays(
    database.prepare(
      `SELECT min(due_ms) FROM (
         SELECT (SELECT min(due_ms) FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage = 'again') AS due_ms
         UNION ALL SELECT (SELECT min(due_ms) FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage = 'new'))`,
    ),
  );
  const claim = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = 'calling', attempts = attempts + 1, last_call_id = call_id, call_id = ?, changed_ms = ?
     WHERE broadcast_no = ? AND number = ? AND stage IN ('new', 'again')`,
  );
  const release = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = iif(attempts > 1, 'again', 'new'), attempts = attempts - 1, call_id = last_call_id, last_call_id = NULL
     WHERE broadcast_no = ? AND number = ? AND stage = 'calling'`,
  );
  const requeue = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = 'again', due_ms = ?, code = ?, reason = ?, cause = ?, changed_ms = ?, last_call_id = NULL, call_id = ?,
       answered_ms = ?, ended_ms = ?, answered_by = ?, output = ?
     WHERE broadcast_no = ? AND number = ? AND stage = 'calling'`,
  );
  const settleCalled = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = NULL, code = ?, reason = ?, cause = ?, changed_ms = ?, last_call_id = NULL, call_id = ?,
       answered_ms = ?, ended_ms = ?, answered_by = ?, output = ?
     WHERE broadcast_no = ? AND number = ? AND stage IS NOT NULL`,
  );
  // What is there of a call that is over belongs to the one before, where another goes on of which nothing is known.
  const settle = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = NULL, code = ?, reason = ?, cause = ?, changed_ms = ?, last_call_id = NULL,
       answered_ms = iif(stage = 'calling', NULL, answered_ms), ended_ms = iif(stage = 'calling', NULL, ended_ms),
       answered_by = iif(stage = 'calling', NULL, answered_by), output = iif(stage = 'calling', NULL, output)
     WHERE broadcast_no = ? AND number = ? AND stage IS NOT NULL`,
  );
  const settleQueued = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = NULL, cause = iif(code IS NULL, ?2, cause), reason = iif(code IS NULL, ?3, reason),
       code = coalesce(code, ?4), changed_ms = ?5
     WHERE broadcast_no = ?1 AND number IN
       (SELECT number FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage IN ('new', 'again') LIMIT ?6)`,
  );
  const calling = arrays(
    database.prepare(
      `SELECT ${COLUMNS} FROM broadcast_numbers WHERE broadcast_no = ? AND stage = 'calling' ORDER BY number LIMIT ?`,
    ),
  );
  const tallies = arrays(
    database.prepare('SELECT code, reason, numbers, calls FROM broadcast_tallies WHERE broadcast_no = ?'),
  );
  const countCalling = arrays(
    database.prepare("SELECT count(*) FROM broadcast_numbers WHERE broadcast_no = ? AND stage = 'calling'"),
  );
  const remove = database.prepare(
    `DELETE FROM broadcast_numbers WHERE broadcast_no = ?1 AND number IN
       (SELECT number FROM broadcast_numbers WHERE broadcast_no = ?1 ORDER BY number LIMIT ?2)`,
  );
  const removeTallies = database.prepare('DELETE FROM broadcast_tallies WHERE broadcast_no = ?');
  const reports = new Map<string, StatementSync>();

  const reportOf = (conditions: string): StatementSync => {
    const known = reports.get(conditions);
    if (known) return known;
    const made = arrays(
      database.prepare(
        `SELECT ${COLUMNS} FROM broadcast_numbers WHERE broadcast_no = ? AND number > ?${conditions} ORDER BY number LIMIT ?`,
      ),
    );
    reports.set(conditions, made);
    return made;
  };

  return {
    add(broadcastNo, number, { phone, input }, atMs) {
      insert.run(broadcastNo, number, phone, keyOf(phone), input ? JSON.stringify(input) : null, atMs, atMs);
    },

    due(broadcastNo, nowMs, limit) {
      const again = rowsOf(dueAgain, broadcastNo, nowMs, limit).map(numberRowOf);
      if (again.length >= limit) return again;
      return again.concat(rowsOf(dueNew, broadcastNo, nowMs, limit - again.length).map(newRowOf));
    },

    nextDueMs(broadcastNo) {
      const [dueMs] = rowsOf(nextDue, broadcastNo)[0]!;
      return dueMs === null ? undefined : Number(dueMs);
    },

    claim: (broadcastNo, number, { callId, atMs }) =>
      claim.run(callId, Math.round(atMs), broadcastNo, number).changes > 0,

    release: (broadcastNo, number) => void release.run(broadcastNo, number),

    requeue(broadcastNo, number, attempt, last, dueMs) {
      const atMs = Math.round(attempt.endedMs);
      // Up: a number that is not due yet must not be found before it is.
      requeue.run(Math.ceil(dueMs), ...resultOf(last), atMs, ...callOf(attempt), broadcastNo, number);
    },

    settle(broadcastNo, number, { result, atMs, attempt }) {
      const changedMs = Math.round(atMs);
      if (attempt) settleCalled.run(...resultOf(result), changedMs, ...callOf(attempt), broadcastNo, number);
      else settle.run(...resultOf(result), changedMs, broadcastNo, number);
    },

    settleQueued(broadcastNo, { result: { code, reason, cause }, atMs, most }) {
      const { changes } = settleQueued.run(broadcastNo, cause ?? null, reason, code, Math.round(atMs), most ?? -1);
      return Number(changes);
    },

    calling: (broadcastNo, limit) => rowsOf(calling, broadcastNo, limit).map(numberRowOf),

    counts(broadcastNo, numbers) {
      const onCall = Number(rowsOf(countCalling, broadcastNo)[0]![0]);
      const came = { success: 0, failed: 0, done: 0, calls: onCall };
      const reasons = new Map<string, number>();
      for (const [code, reason, many, calls] of rowsOf(tallies, broadcastNo)) {
        came.calls += Number(calls);
        if (Number(many) === 0) continue;
        came.done += Number(many);
        came[code as Result['code']] += Number(many);
        reasons.set(String(reason), (reasons.get(String(reason)) ?? 0) + Number(many));
      }
      return {
        numbers,
        queued: numbers - onCall - came.done,
        calling: onCall,
        done: came.done,
        success: came.success,
        failed: came.failed,
        reasons: Object.fromEntries(reasons),
        attempts: came.calls,
      };
    },

    report(broadcastNo, { after, limit, states, code, reason, phone }) {
      const values: SQLInputValue[] = [];
      let conditions = '';
      const demand = (condition: string, ...bound: string[]): void => {
        conditions += ` AND ${condition}`;
        values.push(...bound);
      };
      if (phone !== undefined) demand('dialled = ?', keyOf(phone));
      if (states) demand(states.length === 0 ? 'false' : `(${states.map((state) => IS_IN[state]).join(' OR ')})`);
      if (code !== undefined || reason !== undefined) demand(IS_IN.done);
      if (code !== undefined) demand('code = ?', code);
      if (reason !== undefined) demand('reason = ?', reason);
      return rowsOf(reportOf(conditions), broadcastNo, after ?? 0, ...values, limit).map(numberRowOf);
    },

    remove(broadcastNo, most) {
      if (Number(remove.run(broadcastNo, most).changes) > 0) return true;
      removeTallies.run(broadcastNo);
      return false;
    },
  };
}

/** By what a number is found, however it was written. */
const keyOf = (phone: string): string => dialled(phone).toLowerCase();

const resultOf = ({ code, reason, cause }: Result): [string, string, number | null] => [code, reason, cause ?? null];

const callOf = (attempt: Attempt): [string, number | null, number, string | null, string | null] => [
  attempt.callId,
  attempt.answeredMs === undefined ? null : Math.round(attempt.answeredMs),
  Math.round(attempt.endedMs),
  attempt.answeredBy ?? null,
  attempt.output === undefined ? null : JSON.stringify(attempt.output),
];

/** Rows as arrays: objects with fifteen names each cost more than reading the rows. */
function arrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}

const rowsOf = (statement: StatementSync, ...values: SQLInputValue[]): SQLOutputValue[][] =>
  statement.all(...values) as unknown as SQLOutputValue[][];

function newRowOf([number, phone, input, dueMs, changedMs]: SQLOutputValue[]): NumberRow {
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

function numberRowOf(columns: SQLOutputValue[]): NumberRow {
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
