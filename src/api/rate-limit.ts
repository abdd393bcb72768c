/** A bucket of tokens per project: so many requests a second for ever, and a burst above that now and then. */
import type { Clock } from '../core/clock.ts';
import { ApiError } from './api-error.ts';

export interface RateLimit {
  perSecond: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Takes one token of `key`, or throws the problem `too_many_requests`. */
export function createRateLimiter({ perSecond, burst }: RateLimit, clock: Clock): (key: string) => void {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const nowMs = clock.monotonicMs();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) {
      const waitSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      throw new ApiError('too_many_requests', `more than ${perSecond} requests per second`, {
        headers: { 'retry-after': String(waitSeconds) },
      });
    }
    bucket.tokens -= 1;
  };
}
