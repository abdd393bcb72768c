/**
 * Log of a cluster node. While Redis is unavailable, `store.failing` has been logged once with the reason and the
 * remedy (`readiness.ts`). Subsequent errors of the same cause, which occur every second in several parts, are logged
 * at `debug`. Errors that affect a certain call keep their level, but without the stack of the library.
 */
import type { Log, LogFields } from '../base/core/log.ts';
import { WriteError } from '../base/core/write-error.ts';

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
