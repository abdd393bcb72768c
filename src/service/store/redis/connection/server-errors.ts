/** Classifies errors of Redis and of its connection: transient errors, after which the same command may be repeated. */
import { WriteError, type WriteErrorReason } from '../../../../base/core/write-error.ts';

/** Reasons by the first word of the server's error. */
const PASSING: Readonly<Record<string, WriteErrorReason>> = {
  READONLY: 'no_primary',
  LOADING: 'unreachable',
  MASTERDOWN: 'unreachable',
  CLUSTERDOWN: 'unreachable',
  TRYAGAIN: 'unreachable',
  MOVED: 'unreachable',
  ASK: 'unreachable',
  BUSY: 'redis_busy',
  NOREPLICAS: 'no_replica',
  MISCONF: 'redis_disk',
  OOM: 'redis_full',
};

/** Undefined if the command itself is invalid. */
export function passingError(error: unknown): WriteError | undefined {
  if (error instanceof WriteError) return error;
  const { name, message } = error as Error;
  if (name !== 'ReplyError') return new WriteError('unreachable', error);
  if (lacksFunctions(error)) return new WriteError('unreachable', error);
  const reason = PASSING[/^[A-Z]+/.exec(message)?.[0] ?? ''];
  return reason && new WriteError(reason, error);
}

/** Rejects with a `WriteError` while the server is unavailable or refuses to write. */
export async function passing<Made>(work: () => Promise<Made>): Promise<Made> {
  try {
    return await work();
  } catch (error) {
    throw passingError(error) ?? error;
  }
}

/** The server was restarted without its data. */
export const lacksFunctions = (error: unknown): boolean => (error as Error).message.includes('Function not found');
