/** Deletes what is too old, a few rows per transaction: calls go on being written in between. */
import type { DatabaseSync } from 'node:sqlite';
import type { PruneLimits, PruneResult } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

const CALLS_PER_TRANSACTION = 50;
const ROWS_PER_TRANSACTION = 500;

export function createPruner(
  database: DatabaseSync,
  group: GroupCommit,
): (limits: PruneLimits) => Promise<Omit<PruneResult, 'broadcasts'>> {
  const oldCalls = database.prepare('SELECT call_no FROM calls WHERE ended_ms < ? ORDER BY ended_ms LIMIT ?');
  const deleteJournal = database.prepare('DELETE FROM journal WHERE call_no = ?');
  const deleteCall = database.prepare('DELETE FROM calls WHERE call_no = ?');
  const deleteDead = database.prepare(
    'DELETE FROM dead_deliveries WHERE dead_no IN (SELECT dead_no FROM dead_deliveries WHERE dead_ms < ? LIMIT ?)',
  );
  const deleteUrls = database.prepare('DELETE FROM disabled_urls WHERE disabled_ms < ?');

  /** Repeats `work` in transactions of its own until it has less to do than it may. */
  const inPieces = async (atOnce: number, work: () => number): Promise<number> => {
    let total = 0;
    for (;;) {
      let done = 0;
      await group.write('forget', () => {
        done = work();
      });
      total += done;
      if (done < atOnce) return total;
    }
  };

  return async ({ callsEndedBeforeMs, deadBeforeMs }) => ({
    calls: await inPieces(CALLS_PER_TRANSACTION, () => {
      const rows = oldCalls.all(callsEndedBeforeMs, CALLS_PER_TRANSACTION);
      for (const row of rows) {
        deleteJournal.run(row['call_no']!);
        deleteCall.run(row['call_no']!);
      }
      return rows.length;
    }),
    deliveries: await inPieces(ROWS_PER_TRANSACTION, () =>
      Number(deleteDead.run(deadBeforeMs, ROWS_PER_TRANSACTION).changes),
    ),
    urls: await inPieces(Number.POSITIVE_INFINITY, () => Number(deleteUrls.run(deadBeforeMs).changes)),
  });
}
