/** Sequence numbers of RTP: their order, and when a source counts anew (RFC 3550 Appendix A.1). */

const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;

/** On the 16-bit circle; negative if `later` comes before `earlier`. */
export const sequenceDistance = (earlier: number, later: number): number => ((later - earlier) << 16) >> 16;

/**
 * True if a packet so far from the newest one is not late or ahead, but of a source that counts anew, as session border
 * controllers do at a re-INVITE under the same SSRC. The first such packet counts, not the second in a row: all it can do
 * is to be heard.
 */
export function countsAnew(newest: number, sequence: number): boolean {
  const ahead = sequenceDistance(newest, sequence);
  return ahead >= MAX_DROPOUT || ahead <= -MAX_MISORDER;
}
