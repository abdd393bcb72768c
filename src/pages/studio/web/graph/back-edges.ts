/**
 * Back edges of small flows. Each target has a lane above the cards; targets whose spans do not overlap share a lane.
 */
import type { BackEdge } from './columns.ts';

const LANE_HEIGHT = 16;
/** Gap between the lowest lane and the cards. */
const BELOW_LANES = 14;

export interface Lanes {
  /** Height of all lanes. */
  height: number;
  /** Y coordinate of the lane of a back edge, from the top of the drawing. */
  yOf(backEdge: BackEdge): number;
}

export function lanesOf(backEdges: readonly BackEdge[]): Lanes {
  const sorted = backEdges.toSorted(
    (one, other) =>
      one.from.column - one.to.column - (other.from.column - other.to.column) || one.from.y - other.from.y,
  );
  // Span of the back edges to each target card.
  const spans = new Map<BackEdge['to'], { left: number; right: number }>();
  for (const { from, to } of sorted) {
    const span = spans.get(to) ?? { left: to.column - 1, right: from.column };
    span.right = Math.max(span.right, from.column);
    spans.set(to, span);
  }
  const lanes: { left: number; right: number }[][] = [];
  const laneOf = new Map<BackEdge['to'], number>();
  for (const [to, span] of spans) {
    let lane = lanes.findIndex((taken) => taken.every(({ left, right }) => span.right < left || span.left > right));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane]!.push(span);
    laneOf.set(to, lane);
  }
  const height = lanes.length > 0 ? lanes.length * LANE_HEIGHT + BELOW_LANES : 0;
  return { height, yOf: ({ to }) => height - BELOW_LANES - laneOf.get(to)! * LANE_HEIGHT };
}
