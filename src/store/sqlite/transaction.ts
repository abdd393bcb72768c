/** All or nothing. Whoever is within must not wait: everybody in the process writes through the same connection. */
import type { DatabaseSync } from 'node:sqlite';

export type Transaction = <T>(work: () => T) => T;

/** Prepared once: reading three words again and again costs as much as writing a small row. */
export function transactions(database: DatabaseSync): Transaction {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const made = work();
      commit.run();
      return made;
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}
