/**
 * Opens few connections at a time. Some servers keep few that wait to be accepted, Asterisk ten of them: what comes on top is
 * dropped without a word, and the system tries it again a second later. A connection counts until the server says something
 * on it, or has had the time to accept it.
 */
import type { buildConnector } from 'undici';
import type { Clock } from '../core/clock.ts';

/** A server that does not accept in this time is slow, not crowded. */
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
          // Not `data`: that would be taken from who reads it.
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
