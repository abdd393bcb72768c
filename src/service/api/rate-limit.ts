/** Rate limiter for each key: a sustained rate with bursts (token bucket). */
import type { Clock } from '../../base/core/clock.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';
import { ApiError } from './api-error.ts';

export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** Takes a token of `key`. Throws `too_many_requests` if there is none. */
export function createRateLimiter({ perSecond, burst }: RateLimit, clock: Clock): (key: string) => void {
  const buckets = new Map<string, TokenBucket>();
  return (key) => {
    const bucket = buckets.get(key) ?? new TokenBucket(clock, perSecond, burst);
    buckets.set(key, bucket);
    if (bucket.take()) return;
    throw new ApiError('too_many_requests', `more than ${perSecond} requests per second`, {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(bucket.waitMs / 1000))) },
    });
  };
}
