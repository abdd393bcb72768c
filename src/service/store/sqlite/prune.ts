/** Deletes expired rows, a few per transaction, so that calls are written in between. */
import type { PruneLimits, PruneResult } from '../store.ts';
import type { StoreParts } from './store-parts.ts';

const CALLS_PER_TRANSACTION = 50;
const ROWS_PER_TRANSACTION = 500;

export function createPruner({
  database,
  group,
}: StoreParts): (limits: PruneLimits) => Promise<Omit<PruneResult, 'broadcasts'>> {
  const oldCalls = database.prepare('SELECT call_no FROM calls WHERE ended_ms < ? ORDER BY ended_ms LIMIT ?');
  const deleteJournal = database.prepare('DELETE FROM journal WHERE call_no = ?');
  const deleteCall = database.prepare('DELETE FROM calls WHERE call_no = ?');
  const deleteDead = database.prepare(
    'DELETE FROM dead_deliveries WHERE dead_no IN (SELECT dead_no FROM dead_deliveries WHERE dead_ms < ? LIMIT ?)',
  );
  const deleteUrls = database.prepare('DELETE FROM disabled_urls WHERE disabled_ms < ?');
  const deleteVersions = database.prepare(`DELETE FROM flow_versions WHERE last_ms < ? AND in_force = 0
     AND hash NOT IN (SELECT version FROM canaries WHERE is_on = 1)`);
  const deleteDetails = database.prepare('DELETE FROM call_details WHERE at_ms < ?');
  const deleteRoomEntries = database.prepare('DELETE FROM room_journal WHERE at_ms < ?');
  const inBatches = (size: number, work: () => number): Promise<number> => group.inBatches('prune', size, work);

  return async ({ callsEndedBeforeMs, deadBeforeMs }) => ({
    calls: await inBatches(CALLS_PER_TRANSACTION, () => {
      const rows = oldCalls.all(callsEndedBeforeMs, CALLS_PER_TRANSACTION);
      for (const row of rows) {
        deleteJournal.run(row['call_no']!);
        deleteCall.run(row['call_no']!);
      }
      if (rows.length < CALLS_PER_TRANSACTION) deleteDetails.run(callsEndedBeforeMs);
      if (rows.length < CALLS_PER_TRANSACTION) deleteRoomEntries.run(callsEndedBeforeMs);
      if (rows.length < CALLS_PER_TRANSACTION) deleteVersions.run(callsEndedBeforeMs);
      return rows.length;
    }),
    deliveries: await inBatches(ROWS_PER_TRANSACTION, () =>
      Number(deleteDead.run(deadBeforeMs, ROWS_PER_TRANSACTION).changes),
    ),
    urls: await inBatches(Number.POSITIVE_INFINITY, () => Number(deleteUrls.run(deadBeforeMs).changes)),
  });
}
