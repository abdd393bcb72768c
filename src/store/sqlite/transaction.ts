/** All or nothing. Whoever is within must not wait: everybody in the process writes through the same connection. */
import type { DatabaseSync } from 'node:sqlite';

export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const made = work();
    database.exec('COMMIT');
    return made;
  } catch (error) {
    // SQLite has already rolled back after some errors, such as a full disk.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
