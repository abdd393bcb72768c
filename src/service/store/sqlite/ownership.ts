/**
 * Lock that allows one service per data directory: a second one would end the calls of the first and send its events
 * twice. SQLite holds the lock on a separate file, so that readers of the data are not blocked, and the system releases
 * it however the process dies.
 */
import { DatabaseSync } from 'node:sqlite';
import { ownFile } from './database.ts';

export class DataInUse extends Error {
  readonly code = 'DATA_IN_USE';
  constructor(file: string, cause: unknown) {
    super(`another service works with it: it holds ${file}`, { cause });
  }
}

/** Returns a function that releases the lock. Throws `DataInUse` if another process holds it. */
export function claimDataDirectory(file: string): () => void {
  ownFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw isBusy(error) ? new DataInUse(file, error) : error;
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

/** SQLITE_BUSY, SQLITE_LOCKED. */
const isBusy = (error: unknown): boolean => [5, 6].includes(Number((error as { errcode?: unknown }).errcode) & 0xff);
