/** Order of RTP sequence numbers and timestamps, and restarts of a source (RFC 3550 Appendix A.1). */

const CYCLE = 0x1_0000;
const HALF_CYCLE = 0x8000;
const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;

/** Distance from `earlier` to `later` on the 16-bit circle; negative if `later` lies before. */
export const sequenceDistance = (earlier: number, later: number): number => ((later - earlier) << 16) >> 16;

/** Distance from `earlier` to `later` on the 32-bit circle; negative if `later` lies before. */
export const timestampDistance = (earlier: number, later: number): number => (later - earlier) | 0;

/** True if sequence number `a` comes after `b`. */
export const isNewer = (a: number, b: number): boolean => sequenceDistance(b, a) > 0;

/**
 * Extends a sequence number by its cycles: the number nearest to `newest`, which is extended as well (RFC 3711 §3.3.1).
 * Negative if it lies before the first cycle.
 */
export function extendSequence(newest: number, sequence: number): number {
  const ahead = sequence - (newest % CYCLE);
  if (ahead > HALF_CYCLE) return newest + ahead - CYCLE;
  return ahead < -HALF_CYCLE ? newest + ahead + CYCLE : newest + ahead;
}

/**
 * True if a packet so far from the newest one is neither late nor ahead, but from a source that restarted its sequence,
 * as session border controllers do at a re-INVITE with the same SSRC. One such packet is enough, unlike in the RFC (two
 * in a row): the worst effect of a wrong packet is that it is audible.
 */
export function isRestart(newest: number, sequence: number): boolean {
  const ahead = sequenceDistance(newest, sequence);
  return ahead >= MAX_DROPOUT || ahead <= -MAX_MISORDER;
}
