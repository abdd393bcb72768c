/** Port: which counts of a nonce were used (RFC 7616 §3.4). In this process, or in `store/` where nodes share them. */
import type { Clock } from '../../core/clock.ts';

export interface NonceCounts {
  /**
   * The nonce is valid for `lifeMs` at most. Calls back, at once where it is known here: whether the count is higher than all before it, which it is once. Undefined:
   * it cannot be known now.
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
