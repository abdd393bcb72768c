/**
 * Numbers of a broadcast in SQLite, one row each, with state and result. Neighbours: `broadcasts.ts`,
 * `broadcast-report.ts`, and migration 007, which explains the columns. Invariant: the tallies equal the counted rows,
 * because both change in one transaction.
 */
import type { DatabaseSync } from 'node:sqlite';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import type { Attempt, Callee, Result } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../calls/broadcast/broadcast-store.ts';
import { asArrays, COLUMNS, newRowOf, numberRowOf, rowsOf } from './broadcast-rows.ts';
import type { RunInTransaction } from './transaction.ts';

/** Methods of the port, synchronous and with the row number of the broadcast instead of its id. */
type ByBroadcastNo<Method> = Method extends (broadcastId: string, ...rest: infer Rest) => Promise<infer Made>
  ? (broadcastNo: number, ...rest: Rest) => Made
  : never;

export type BroadcastNumbers = {
  [Name in
    | 'due'
    | 'nextDueMs'
    | 'claim'
    | 'release'
    | 'requeue'
    | 'settle'
    | 'settleQueued'
    | 'calling']: ByBroadcastNo<BroadcastStore[Name]>;
} & {
  add(broadcastNo: number, number: number, callee: Callee, atMs: number): void;
  /** Deletes at most `most` numbers. False if there were none left. */
  remove(broadcastNo: number, most: number): boolean;
};

export function sqliteBroadcastNumbers(database: DatabaseSync, transaction: RunInTransaction): BroadcastNumbers {
  const insert = database.prepare(
    `INSERT INTO broadcast_numbers (broadcast_no, number, phone, dialled, input, due_ms, changed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const dueAgain = asArrays(
    database.prepare(
      `SELECT ${COLUMNS} FROM broadcast_numbers
       WHERE broadcast_no = ? AND stage = 'again' AND due_ms <= ? ORDER BY due_ms, number LIMIT ?`,
    ),
  );
  const dueNew = asArrays(
    database.prepare(
      `SELECT number, phone, input, due_ms, changed_ms FROM broadcast_numbers
       WHERE broadcast_no = ? AND stage = 'new' AND due_ms <= ? ORDER BY due_ms, number LIMIT ?`,
    ),
  );
  const nextDue = asArrays(
    database.prepare(
      `SELECT min(due_ms) FROM (
         SELECT (SELECT min(due_ms) FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage = 'again') AS due_ms
         UNION ALL SELECT (SELECT min(due_ms) FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage = 'new'))`,
    ),
  );
  const claim = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = 'calling', attempts = attempts + 1, last_call_id = call_id, call_id = ?, changed_ms = ?
     WHERE broadcast_no = ? AND number = ? AND stage <> 'calling'`,
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
  const withCall = `UPDATE broadcast_numbers
     SET stage = NULL, input = NULL, code = ?, reason = ?, cause = ?, changed_ms = ?, last_call_id = NULL, call_id = coalesce(?, call_id),
       answered_ms = ?, ended_ms = ?, answered_by = ?, output = ?
     WHERE broadcast_no = ? AND number = ?`;
  // Also used without a call: then the columns keep the last call.
  const settleCalling = database.prepare(`${withCall} AND stage = 'calling'`);
  const settleCalled = database.prepare(`${withCall} AND stage IS NOT NULL`);
  const settleQueued = database.prepare(
    `UPDATE broadcast_numbers SET stage = NULL, input = NULL, code = ?, reason = ?, cause = ?, changed_ms = ?
     WHERE broadcast_no = ? AND number = ? AND stage IS NOT NULL`,
  );
  const someQueued =
    "SELECT number FROM broadcast_numbers WHERE broadcast_no = ?1 AND stage IN ('new', 'again') LIMIT ?2";
  const tallyQueued = database.prepare(
    `INSERT INTO broadcast_tallies (broadcast_no, code, reason, numbers, calls)
     SELECT ?1, coalesce(code, ?3) AS came, coalesce(reason, ?4) AS why, count(*), 0 FROM broadcast_numbers
     WHERE broadcast_no = ?1 AND number IN (${someQueued}) GROUP BY came, why
     ON CONFLICT (broadcast_no, code, reason) DO UPDATE SET numbers = numbers + excluded.numbers`,
  );
  const settleSome = database.prepare(
    `UPDATE broadcast_numbers
     SET stage = NULL, input = NULL, cause = iif(code IS NULL, ?5, cause), reason = coalesce(reason, ?4), code = coalesce(code, ?3),
       changed_ms = ?6
     WHERE broadcast_no = ?1 AND number IN (${someQueued})`,
  );
  const tally = database.prepare(
    `INSERT INTO broadcast_tallies (broadcast_no, code, reason, numbers, calls) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (broadcast_no, code, reason) DO UPDATE
     SET numbers = numbers + excluded.numbers, calls = calls + excluded.calls`,
  );
  // Without INDEXED BY, SQLite scans all numbers in order, to avoid sorting.
  const calling = asArrays(
    database.prepare(
      `SELECT ${COLUMNS} FROM broadcast_numbers INDEXED BY broadcast_numbers_open
       WHERE broadcast_no = ? AND stage = 'calling' ORDER BY number LIMIT ?`,
    ),
  );
  const remove = database.prepare(
    `DELETE FROM broadcast_numbers WHERE broadcast_no = ?1 AND number IN
       (SELECT number FROM broadcast_numbers WHERE broadcast_no = ?1 ORDER BY number LIMIT ?2)`,
  );
  const removeTallies = database.prepare('DELETE FROM broadcast_tallies WHERE broadcast_no = ?');
  return {
    add(broadcastNo, number, { phone, input }, atMs) {
      insert.run(broadcastNo, number, phone, numberLookupKey(phone), input ? JSON.stringify(input) : null, atMs, atMs);
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
      transaction(() => claim.run(callId, Math.round(atMs), broadcastNo, number).changes > 0),

    release: (broadcastNo, number) => void transaction(() => release.run(broadcastNo, number)),

    requeue(broadcastNo, number, attempt, last, dueMs) {
      // Rounded up: a number must not be found before it is due.
      const due = Math.ceil(dueMs);
      const atMs = Math.round(attempt.endedMs);
      transaction(() => {
        if (requeue.run(due, ...resultOf(last), atMs, ...callOf(attempt), broadcastNo, number).changes > 0)
          tally.run(broadcastNo, '', '', 0, 1);
      });
    },

    settle(broadcastNo, number, { result, atMs, attempt }) {
      const ended = [...resultOf(result), Math.round(atMs)] as const;
      const call = callOf(attempt);
      const queuedIsOver = () =>
        attempt
          ? settleCalled.run(...ended, ...call, broadcastNo, number).changes
          : settleQueued.run(...ended, broadcastNo, number).changes;
      transaction(() => {
        if (settleCalling.run(...ended, ...call, broadcastNo, number).changes > 0)
          tally.run(broadcastNo, result.code, result.reason, 1, 1);
        else if (queuedIsOver() > 0) tally.run(broadcastNo, result.code, result.reason, 1, 0);
      });
    },

    settleQueued(broadcastNo, { result: { code, reason, cause }, atMs, most }) {
      const which = [broadcastNo, most ?? -1, code, reason] as const;
      return transaction(() => {
        tallyQueued.run(...which);
        return Number(settleSome.run(...which, cause ?? null, Math.round(atMs)).changes);
      });
    },

    calling: (broadcastNo, limit) => rowsOf(calling, broadcastNo, limit).map(numberRowOf),

    remove(broadcastNo, most) {
      return transaction(() => {
        if (Number(remove.run(broadcastNo, most).changes) > 0) return true;
        removeTallies.run(broadcastNo);
        return false;
      });
    },
  };
}

const resultOf = ({ code, reason, cause }: Result): [string, string, number | null] => [code, reason, cause ?? null];

type CallColumns = [string | null, number | null, number | null, string | null, string | null];

const callOf = (attempt: Attempt | undefined): CallColumns => [
  attempt?.callId ?? null,
  attempt?.answeredMs === undefined ? null : Math.round(attempt.answeredMs),
  attempt === undefined ? null : Math.round(attempt.endedMs),
  attempt?.answeredBy ?? null,
  attempt?.output === undefined ? null : JSON.stringify(attempt.output),
];
