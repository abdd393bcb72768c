/**
 * The log of a node of a cluster: while Redis is away, `store.failing` has said so once, with the reason and the remedy
 * (`readiness.ts`). What fails for that alone, each second in several parts of the service, is at `debug`; what it does to a
 * certain call is said, without the stack of the library.
 */
import type { Log, LogFields } from '../core/log.ts';
import { WriteError } from '../core/write-error.ts';

type Level = 'info' | 'warn' | 'error';

export function quietLog(log: Log): Log {
  const write =
    (level: Level) =>
    (message: string, fields: LogFields = {}): void => {
      const { error, callId } = fields;
      if (!(error instanceof WriteError)) log[level](message, fields);
      else log[callId === undefined ? 'debug' : level](message, { ...fields, error: error.message });
    };
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => quietLog(log.child(fields)),
  };
}
