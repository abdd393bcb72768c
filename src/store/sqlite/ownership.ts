/**
 * One service per data directory: a second one would end the calls of the first and send its events twice.
 * The claim is a lock that SQLite holds on a file of its own, so that readers of the data are not kept out, and so that
 * the system takes it back when the process dies, however it dies.
 */
import { DatabaseSync } from 'node:sqlite';
import { ownFile } from './database.ts';

export class DataInUse extends Error {
  readonly code = 'DATA_IN_USE';
  constructor(file: string, cause: unknown) {
    super(`another service works with it: it holds ${file}`, { cause });
  }
}

/** Returns how to give the claim back. Throws `DataInUse` when somebody else holds it. */
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
