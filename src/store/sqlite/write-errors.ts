/** Errors that come from the disk or from other processes, by SQLite's codes (https://sqlite.org/rescode.html). */
import { WriteError, type WriteErrorReason } from '../../core/write-error.ts';

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

/** Of the file system. */
const SYSTEM_REASONS: Readonly<Record<string, WriteErrorReason>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  EIO: 'broken',
  ENOENT: 'broken',
};

/** Undefined: the write itself is wrong. */
export function writeErrorFrom(error: unknown): WriteError | undefined {
  if (error instanceof WriteError) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  const why = typeof errcode === 'number' ? SQLITE_REASONS[errcode & 0xff] : SYSTEM_REASONS[String(code)];
  return why && new WriteError(why, error);
}
