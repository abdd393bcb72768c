/** The line of a drawing at a point, and the nearest point on it. Pure. */
import type { Drawing, DrawnEdge, Point } from './drawing.ts';

export interface PointOnLine {
  edge: DrawnEdge;
  at: Point;
}

/** Nearest line within `reach`, which is in px of the drawing. */
export function lineAt({ edges }: Drawing, point: Point, reach: number): PointOnLine | undefined {
  let found: PointOnLine | undefined;
  let least = reach;
  for (const edge of edges) {
    for (const [index, end] of edge.points.entries()) {
      const begin = edge.points[index - 1];
      if (begin === undefined) continue;
      const at = nearestOn(begin, end, point);
      const distance = Math.hypot(at[0] - point[0], at[1] - point[1]);
      if (distance >= least) continue;
      least = distance;
      found = { edge, at };
    }
  }
  return found;
}

function nearestOn([x1, y1]: Point, [x2, y2]: Point, [x, y]: Point): Point {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return [x1 + part * dx, y1 + part * dy];
}
