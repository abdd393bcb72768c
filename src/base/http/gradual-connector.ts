/**
 * Limits the number of connections that are being opened at a time. Some servers have a short backlog (Asterisk: ten):
 * they drop further connections silently, and the system retries only after a second. A connection counts until the
 * server sends data on it, or has had the time to accept it.
 */
import type { buildConnector } from 'undici';
import type { Clock } from '../core/clock.ts';

/** A server that does not accept within this time is slow; its backlog is not full. */
const ACCEPT_MS = 100;

export function gradualConnector(
  connect: buildConnector.connector,
  { opening, clock }: { opening: number; clock: Pick<Clock, 'after'> },
): buildConnector.connector {
  const waiting: (() => void)[] = [];
  let free = opening;
  const next = (): void => {
    free += 1;
    const begin = waiting.shift();
    if (!begin) return;
    free -= 1;
    begin();
  };
  return (target, done) => {
    const begin = (): void =>
      connect(target, (...result) => {
        const [, socket] = result;
        if (socket) {
          const counted = once(() => {
            timer.cancel();
            next();
          });
          const timer = clock.after(ACCEPT_MS, counted);
          // Not `data`, which would consume the data before its reader.
          socket.once('readable', counted).once('close', counted);
        } else next();
        done(...result);
      });
    if (free === 0) waiting.push(begin);
    else {
      free -= 1;
      begin();
    }
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
