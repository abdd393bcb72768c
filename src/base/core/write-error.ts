/**
 * Error of a write whose data are valid: the disk is full, broken or read-only, another process holds the database, or
 * the database server is unavailable or refuses writes. The write may be retried. Neighbour: `not-ready.ts` has the
 * remedy of each reason.
 */
export type WriteErrorReason =
  | 'disk_full'
  | 'locked'
  | 'read_only'
  | 'broken'
  | 'unreachable'
  | 'no_primary'
  | 'no_replica'
  | 'redis_full'
  | 'redis_disk'
  | 'redis_busy';

export class WriteError extends Error {
  readonly code = 'NOT_WRITTEN';
  readonly reason: WriteErrorReason;
  constructor(reason: WriteErrorReason, cause?: unknown) {
    super(WRITE_ERROR_MESSAGES[reason], { cause });
    this.reason = reason;
  }
}

export const WRITE_ERROR_MESSAGES: Readonly<Record<WriteErrorReason, string>> = {
  disk_full: 'the disk is full',
  locked: 'another process holds the database',
  read_only: 'the data are read-only',
  broken: 'the disk or the database is broken',
  unreachable: 'the server that keeps the data cannot be reached',
  no_primary: 'Redis is a replica, and takes no writes',
  no_replica: 'no replica confirms what is written',
  redis_full: 'Redis has reached its memory limit (maxmemory)',
  redis_disk: 'Redis cannot write to its disk',
  redis_busy: 'Redis is busy with a script of another program',
};

/** By error code of the file system. */
const SYSTEM_REASONS: Readonly<Record<string, WriteErrorReason>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  EIO: 'broken',
  ENOENT: 'broken',
};

/** The write error for an error of the file system. Undefined if the write itself is invalid. */
export function systemWriteError(error: unknown): WriteError | undefined {
  const why = SYSTEM_REASONS[String((error as { code?: unknown }).code)];
  return why && new WriteError(why, error);
}
