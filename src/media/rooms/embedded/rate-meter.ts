/** Bit rate over the last second. */
const BUCKET_MS = 100;
const BUCKETS = 10;
/** Minimum window for a rate. */
const SHORTEST_MS = 300;

export class RateMeter {
  readonly #octets = new Array<number>(BUCKETS).fill(0);
  /** Number of the newest bucket, counted from time 0 of the clock. */
  #newest = 0;
  #sinceMs: number | undefined;

  add(octets: number, nowMs: number): void {
    this.#turnTo(nowMs);
    this.#octets[this.#newest % BUCKETS]! += octets;
  }

  /** `overMs`: window in ms, at most a second. */
  bitsPerSecond(nowMs: number, overMs = BUCKETS * BUCKET_MS): number {
    if (this.#sinceMs === undefined) return 0;
    this.#turnTo(nowMs);
    const buckets = Math.round(overMs / BUCKET_MS);
    let octets = 0;
    for (let back = 0; back < buckets; back++) octets += this.#octets[(this.#newest - back + BUCKETS) % BUCKETS]!;
    // The newest bucket is not full yet.
    const coveredMs = (buckets - 1) * BUCKET_MS + (nowMs % BUCKET_MS);
    const ms = Math.min(coveredMs, Math.max(SHORTEST_MS, nowMs - this.#sinceMs));
    return (octets * 8000) / Math.max(1, ms);
  }

  #turnTo(nowMs: number): void {
    const bucket = Math.floor(nowMs / BUCKET_MS);
    this.#sinceMs ??= nowMs;
    if (bucket - this.#newest >= BUCKETS) this.#octets.fill(0);
    else for (let each = this.#newest + 1; each <= bucket; each++) this.#octets[each % BUCKETS] = 0;
    this.#newest = Math.max(this.#newest, bucket);
  }
}
