/**
 * Retransmissions that the user agent server makes itself: 2xx to INVITE until the ACK (RFC 3261 §13.3.1.4), reliable
 * provisional responses until the PRACK (RFC 3262 §3). Both give up after 64*T1.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { T1_MS, T2_MS } from './transaction-tables.ts';

export interface Retransmission {
  stop(): void;
}

export function retransmitUntilStopped(
  clock: Clock,
  { repeat, giveUp, capMs = T2_MS }: { repeat: () => void; giveUp: () => void; capMs?: number },
): Retransmission {
  let intervalMs = T1_MS;
  const again = (): void => {
    intervalMs = Math.min(intervalMs * 2, capMs);
    timer = clock.after(intervalMs, again);
    repeat();
  };
  let timer: Timer = clock.after(intervalMs, again);
  const limit = clock.after(64 * T1_MS, () => {
    timer.cancel();
    giveUp();
  });
  return {
    stop() {
      timer.cancel();
      limit.cancel();
    },
  };
}
