/** Port: used counts of nonces (RFC 7616 §3.4). Implemented in this process, or in `store/` if nodes share them. */
import type { Clock } from '../../../base/core/clock.ts';

export interface NonceCounts {
  /**
   * Uses a count of a nonce that is valid for at most `lifeMs`. Calls back, synchronously if this process keeps the
   * counts: true if the count is higher than all before it, which holds for each count once. Undefined if that cannot
   * be checked now.
   */
  take(nonce: string, count: number, lifeMs: number, done: (isNew: boolean | undefined) => void): void;
}

const REMEMBERED_NONCES = 10_000;

export function localNonceCounts(clock: Clock): NonceCounts {
  const counts = new Map<string, { count: number; untilMs: number }>();
  return {
    take(nonce, count, lifeMs, done) {
      const seen = counts.get(nonce);
      if (seen && count <= seen.count) {
        done(false);
        return;
      }
      counts.delete(nonce);
      counts.set(nonce, { count, untilMs: clock.monotonicMs() + lifeMs });
      for (const [old, { untilMs }] of counts) {
        if (untilMs > clock.monotonicMs() && counts.size <= REMEMBERED_NONCES) break;
        counts.delete(old);
      }
      done(true);
    },
  };
}
