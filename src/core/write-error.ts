/**
 * A write that failed though nothing is wrong with its data: the disk is full, broken or read-only, another process holds
 * the database, or the server that keeps the data is away. It may be written later.
 */
export type WriteErrorReason = 'disk_full' | 'locked' | 'read_only' | 'broken' | 'unreachable' | 'no_replica';

export class WriteError extends Error {
  readonly code = 'NOT_WRITTEN';
  readonly reason: WriteErrorReason;
  constructor(reason: WriteErrorReason, cause?: unknown) {
    super(MESSAGES[reason], { cause });
    this.reason = reason;
  }
}

const MESSAGES: Readonly<Record<WriteErrorReason, string>> = {
  disk_full: 'the disk is full',
  locked: 'another process holds the database',
  read_only: 'the data are read-only',
  broken: 'the disk or the database is broken',
  unreachable: 'the server that keeps the data cannot be reached',
  no_replica: 'no replica confirms what is written',
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

/** Of an error of the file system; undefined: the write itself is wrong. */
export function systemWriteError(error: unknown): WriteError | undefined {
  const why = SYSTEM_REASONS[String((error as { code?: unknown }).code)];
  return why && new WriteError(why, error);
}
