/**
 * Limits the rate of one source: requests without valid credentials, and web sockets without a token. Requests of
 * projects are limited by `rate-limit.ts`. This machine, which may run proxies, has no limit.
 */
import type { Clock } from '../../base/core/clock.ts';
import { sourceKey } from '../../base/core/source-key.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';

/** Maximum sources in memory; the oldest is forgotten first. */
const MAX_SOURCES = 10_000;

export interface AddressRate {
  perSecond: number;
  burst: number;
}

export class AddressLimit {
  readonly #clock: Clock;
  readonly #rate: AddressRate;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, rate: AddressRate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Counts a request of this address; false if it exceeds the limit. */
  admits(address: string): boolean {
    const source = sourceKey(address);
    return isLocalSource(source) || this.#bucketOf(source).take();
  }

  #bucketOf(source: string): TokenBucket {
    const known = this.#buckets.get(source);
    if (known) return known;
    const [oldest] = this.#buckets.size < MAX_SOURCES ? [] : this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
    const bucket = new TokenBucket(this.#clock, this.#rate.perSecond, this.#rate.burst);
    this.#buckets.set(source, bucket);
    return bucket;
  }
}

/** `source`: a key of `sourceKey`. */
export const isLocalSource = (source: string): boolean => /^127\./.test(source) || source === '0:0:0:0::/64';
