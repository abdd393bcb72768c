/** Error that the operator can fix: a message of one line, with a hint. */
import { systemWriteError, WriteError } from '../../base/core/write-error.ts';

export class BackupError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
    this.hint = hint;
  }
}

/** Converts errors of the disk or its permissions into a `BackupError`; returns any other error unchanged. */
export function inWords(error: unknown, what: string): unknown {
  const failure = error instanceof WriteError ? error : systemWriteError(error);
  if (failure === undefined) return error;
  const { path } = error as NodeJS.ErrnoException;
  const where = path === undefined ? '' : ` (${path})`;
  return new BackupError(`${what}: ${failure.message}${where}`, HINTS[failure.reason], error);
}

/** Hints for disk errors; a backup writes to no server. */
const HINTS: Readonly<Partial<Record<WriteError['reason'], string>>> = {
  disk_full: 'free some space, or name a folder on another disk; nothing was left behind',
  read_only: 'the user who runs this has to be able to read the data and to write there; nothing was left behind',
  locked: 'try again',
  broken: 'look at the disk, and try again',
};
