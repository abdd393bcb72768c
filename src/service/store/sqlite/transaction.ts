/**
 * Transactions: all or nothing. `work` must not await, because the whole process uses the same connection. Neighbour:
 * `write-errors.ts` distinguishes an invalid write from one that the disk or another process prevented.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { WriteHealth } from '../write-health.ts';
import { writeErrorFrom } from './write-errors.ts';

/** Throws `WriteError` if the store is failing; passes on other errors of `work`. */
export type RunInTransaction = <T>(work: () => T) => T;

/** The statements are prepared once: parsing them each time costs as much as writing a small row. */
export function createTransactions(
  database: DatabaseSync,
  health?: WriteHealth,
  { isPatient = false }: { isPatient?: boolean } = {},
): RunInTransaction {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const changes = database.prepare('SELECT total_changes() AS count');

  /** A transaction without changes writes nothing, and does not prove that the disk works. */
  const changed = (): number => (health?.failure ? Number(changes.get()!['count']) : 0);

  return (work) => {
    const before = changed();
    try {
      begin.run();
      const made = work();
      commit.run();
      health?.commits.add('ok');
      if (health?.failure && changed() !== before) health.succeeded();
      return made;
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (database.isTransaction) database.exec('ROLLBACK');
      const writeError = writeErrorFrom(error);
      // Another process may release its lock soon: a patient caller decides when that takes too long.
      if (writeError && !(isPatient && writeError.reason === 'locked')) health?.failed(writeError);
      throw writeError ?? error;
    }
  };
}
