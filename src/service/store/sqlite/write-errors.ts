/**
 * Classifies errors caused by the disk or by other processes, by SQLite result code (https://sqlite.org/rescode.html).
 */
import { systemWriteError, WriteError, type WriteErrorReason } from '../../../base/core/write-error.ts';

const SQLITE_REASONS: Readonly<Record<number, WriteErrorReason>> = {
  5: 'locked', // SQLITE_BUSY
  6: 'locked', // SQLITE_LOCKED
  8: 'read_only', // SQLITE_READONLY
  10: 'broken', // SQLITE_IOERR
  11: 'broken', // SQLITE_CORRUPT
  13: 'disk_full', // SQLITE_FULL
  14: 'broken', // SQLITE_CANTOPEN
  26: 'broken', // SQLITE_NOTADB
};

/** Undefined if the write itself is invalid. */
export function writeErrorFrom(error: unknown): WriteError | undefined {
  if (error instanceof WriteError) return error;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return systemWriteError(error);
  const why = SQLITE_REASONS[errcode & 0xff];
  return why && new WriteError(why, error);
}
