/** Order of RTP sequence numbers, and detection of restarts of a source (RFC 3550 Appendix A.1). */

const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;

/** On the 16-bit circle; negative if `later` comes before `earlier`. */
export const sequenceDistance = (earlier: number, later: number): number => ((later - earlier) << 16) >> 16;

/**
 * True if a packet so far from the newest one is neither late nor ahead, but from a source that restarted its sequence,
 * as session border controllers do at a re-INVITE with the same SSRC. One such packet is enough, unlike in the RFC (two
 * in a row): the worst effect of a wrong packet is that it is audible.
 */
export function countsAnew(newest: number, sequence: number): boolean {
  const ahead = sequenceDistance(newest, sequence);
  return ahead >= MAX_DROPOUT || ahead <= -MAX_MISORDER;
}
