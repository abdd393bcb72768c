/** Apart from `log.ts`, because the package of the flow language has no pino. */
import type { Log } from './log.ts';

/** Log that discards all lines. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
