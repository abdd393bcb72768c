/** Errors of Redis and of the connection to it: which of them pass, so that the same command may be given again. */
import { WriteError, type WriteErrorReason } from '../../core/write-error.ts';

/** By the first word of the server's answer. */
const PASSING: Readonly<Record<string, WriteErrorReason>> = {
  READONLY: 'read_only',
  LOADING: 'unreachable',
  MASTERDOWN: 'unreachable',
  CLUSTERDOWN: 'unreachable',
  TRYAGAIN: 'unreachable',
  MOVED: 'unreachable',
  ASK: 'unreachable',
  BUSY: 'locked',
  NOREPLICAS: 'no_replica',
  MISCONF: 'disk_full',
  OOM: 'disk_full',
};

/** Undefined: the command itself is wrong. */
export function passingError(error: unknown): WriteError | undefined {
  if (error instanceof WriteError) return error;
  const { name, message } = error as Error;
  if (name !== 'ReplyError') return new WriteError('unreachable', error);
  if (lacksFunctions(error)) return new WriteError('unreachable', error);
  const reason = PASSING[/^[A-Z]+/.exec(message)?.[0] ?? ''];
  return reason && new WriteError(reason, error);
}

/** The server was started anew, without its data. */
export const lacksFunctions = (error: unknown): boolean => (error as Error).message.includes('Function not found');
