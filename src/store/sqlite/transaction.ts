/**
 * All or nothing. Whoever is within must not wait: everybody in the process writes through the same connection.
 * Neighbour: `trouble.ts` tells a write that is wrong from one that could not be done.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { WriteHealth } from '../write-health.ts';
import { writeErrorFrom } from './write-errors.ts';

/** Throws `WriteError` where the store is in trouble, and what `work` throws else. */
export type RunInTransaction = <T>(work: () => T) => T;

/** Prepared once: reading three words again and again costs as much as writing a small row. */
export function createTransactions(
  database: DatabaseSync,
  health?: WriteHealth,
  { isPatient = false }: { isPatient?: boolean } = {},
): RunInTransaction {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const changes = database.prepare('SELECT total_changes() AS count');

  /** A transaction that changes nothing writes nothing, and proves nothing. */
  const changed = (): number => (health?.failure ? Number(changes.get()!['count']) : 0);

  return (work) => {
    const before = changed();
    try {
      begin.run();
      const made = work();
      commit.run();
      if (health?.failure && changed() !== before) health.succeeded();
      return made;
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (database.isTransaction) database.exec('ROLLBACK');
      const writeError = writeErrorFrom(error);
      // Whoever holds the database may let go of it in a moment: who is patient decides when that is too long.
      if (writeError && !(isPatient && writeError.reason === 'locked')) health?.failed(writeError);
      throw writeError ?? error;
    }
  };
}
