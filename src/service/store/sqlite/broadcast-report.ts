/** Reports of a broadcast: counts, and pages of its numbers. Neighbour: `broadcast-numbers.ts`. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import type { Counts, NumberRow, NumberState, Result } from '../../calls/broadcast/broadcast.ts';
import type { ReportQuery } from '../../calls/broadcast/broadcast-store.ts';
import { asArrays, COLUMNS, numberRowOf, rowsOf } from './broadcast-rows.ts';

/** Up to this many rows, sorting the matches is faster than scanning all numbers in order. */
const FEW_ROWS = 5000;

const STAGES: Readonly<Record<Exclude<NumberState, 'done'>, string>> = {
  queued: "'new', 'again'",
  calling: "'calling'",
};

export interface BroadcastReport {
  counts(broadcastNo: number, numbers: number): Counts;
  report(broadcastNo: number, query: ReportQuery): NumberRow[];
}

export function sqliteBroadcastReport(database: DatabaseSync): BroadcastReport {
  const tallies = asArrays(
    database.prepare('SELECT code, reason, numbers, calls FROM broadcast_tallies WHERE broadcast_no = ?'),
  );
  const countCalling = asArrays(
    database.prepare("SELECT count(*) FROM broadcast_numbers WHERE broadcast_no = ? AND stage = 'calling'"),
  );
  const prepared = new Map<string, StatementSync>();

  /** A few dozen statements: one for each combination of filters. */
  const statement = (sql: string): StatementSync => {
    const made = prepared.get(sql) ?? asArrays(database.prepare(sql));
    prepared.set(sql, made);
    return made;
  };

  const areFew = (broadcastNo: number, stages: string): boolean => {
    const sql = `SELECT count(*) FROM
      (SELECT 1 FROM broadcast_numbers WHERE broadcast_no = ? AND stage IN (${stages}) LIMIT ?)`;
    return Number(rowsOf(statement(sql), broadcastNo, FEW_ROWS)[0]![0]) < FEW_ROWS;
  };

  return {
    counts(broadcastNo, numbers) {
      const calling = Number(rowsOf(countCalling, broadcastNo)[0]![0]);
      const came = { success: 0, failed: 0 };
      const reasons = new Map<string, number>();
      let attempts = calling;
      for (const [code, reason, many, calls] of rowsOf(tallies, broadcastNo)) {
        attempts += Number(calls);
        if (many === 0) continue;
        came[code as Result['code']] += Number(many);
        reasons.set(String(reason), (reasons.get(String(reason)) ?? 0) + Number(many));
      }
      const done = came.success + came.failed;
      const queued = numbers - calling - done;
      return { numbers, queued, calling, done, ...came, reasons: Object.fromEntries(reasons), attempts };
    },

    report(broadcastNo, { after, limit, states, code, reason, phone }) {
      if (states?.length === 0) return [];
      const values: SQLInputValue[] = [];
      const conditions: string[] = [];
      let index = '';
      if (phone !== undefined) {
        conditions.push('dialled = ?');
        values.push(numberLookupKey(phone));
        index = 'INDEXED BY broadcast_numbers_dialled';
      }
      if (states) {
        const stages = (['queued', 'calling'] as const)
          .filter((state) => states.includes(state))
          .map((state) => STAGES[state]);
        const open = `stage IN (${stages.join(', ')})`;
        conditions.push(states.includes('done') ? `(stage IS NULL OR ${open})` : open);
        if (index === '' && !states.includes('done') && areFew(broadcastNo, stages.join(', ')))
          index = 'INDEXED BY broadcast_numbers_open';
      }
      if (code !== undefined || reason !== undefined) conditions.push('stage IS NULL');
      if (code !== undefined) {
        conditions.push('code = ?');
        values.push(code);
      }
      if (reason !== undefined) {
        conditions.push('reason = ?');
        values.push(reason);
      }
      const filter = conditions.map((condition) => ` AND ${condition}`).join('');
      const page = statement(
        `SELECT ${COLUMNS} FROM broadcast_numbers ${index}
         WHERE broadcast_no = ? AND number > ?${filter} ORDER BY number LIMIT ?`,
      );
      return rowsOf(page, broadcastNo, after ?? 0, ...values, limit).map(numberRowOf);
    },
  };
}
