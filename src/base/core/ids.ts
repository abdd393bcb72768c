/** Identifiers and random numbers, injected as a dependency, so that the same seed gives the same journal. */
import { randomFillSync, randomUUID } from 'node:crypto';

export interface Ids {
  /** A new identifier, unique within the installation; `kind` is a short word such as `call` or `play`. */
  next(kind: string): string;
}

export const randomIds: Ids = { next: () => randomUUID() };

/** Identifiers for tests and rehearsals: `call-1`, `call-2`, `play-1` … */
export function countingIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}-${count}`;
    },
  };
}

/** 48 bits per number. */
const RANDOM_BYTES = 6;
const POOL_BYTES = 4096;
const drawn = Buffer.alloc(RANDOM_BYTES * 500);
let used = drawn.length;

/**
 * Unpredictable number in [0, 1), for SIP tags and branches. Random bytes are drawn in large batches, which is cheaper.
 */
export function systemRandom(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += RANDOM_BYTES;
  return drawn.readUIntBE(used - RANDOM_BYTES, RANDOM_BYTES) / 2 ** (8 * RANDOM_BYTES);
}

let pool = Buffer.alloc(0);

/** Unpredictable bytes. They are drawn in large batches, which costs a tenth; no byte is returned twice. */
export function drawBytes(count: number): Buffer {
  if (pool.length < count) pool = randomFillSync(Buffer.alloc(Math.max(count, POOL_BYTES)));
  const bytes = pool.subarray(0, count);
  pool = pool.subarray(count);
  return bytes;
}

/** Source of numbers in [0, 1) that is determined by its seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
