/** Log of a cluster node while Redis is unavailable. */
import { expect, it } from 'vitest';
import { quietLog } from '../../src/app/quiet-log.ts';
import type { Log, LogFields } from '../../src/base/core/log.ts';
import { WriteError } from '../../src/base/core/write-error.ts';

function recorded(): { log: Log; lines: [string, string, LogFields | undefined][] } {
  const lines: [string, string, LogFields | undefined][] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push([level, message, fields]);
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return { log, lines };
}

it('keeps what fails for that alone at debug, and never writes the words of the library', () => {
  const { log, lines } = recorded();
  const away = new WriteError(
    'unreachable',
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  );
  const quiet = quietLog(log);
  quiet.child({ receiver: 1 }).warn('broadcast.not_followed', { error: away });
  quiet.error('call.not_written', { callId: 'call-1', error: away });
  quiet.warn('broadcast.not_followed', { error: new TypeError('a mistake') });
  const words = 'the server that keeps the data cannot be reached';
  expect(lines).toEqual([
    ['debug', 'broadcast.not_followed', { error: words }],
    ['error', 'call.not_written', { callId: 'call-1', error: words }],
    ['warn', 'broadcast.not_followed', { error: new TypeError('a mistake') }],
  ]);
});
