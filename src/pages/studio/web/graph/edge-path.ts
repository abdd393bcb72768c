/** SVG path data of a line: right angles with rounded corners, and an arrowhead. */
import type { Point } from './drawing.ts';

const RADIUS = 7;
const TIP = { length: 6.5, half: 3.5, gap: 1 };

/** The arrowhead is part of the path: several lines can then be one path without markers. */
export function pathOf(points: readonly Point[]): string {
  const corners = points.filter(
    ([x, y], index) => index === 0 || Math.abs(x - points[index - 1]![0]) + Math.abs(y - points[index - 1]![1]) > 0.4,
  );
  const [start] = corners;
  if (start === undefined) return '';
  let path = `M${start[0]} ${start[1]}`;
  for (let index = 1; index < corners.length - 1; index++)
    path += corner(corners[index - 1]!, corners[index]!, corners[index + 1]!);
  const [x, y] = corners.at(-1)!;
  const back = round(x - TIP.length);
  return `${path}L${x} ${y}M${back} ${y - TIP.half}L${x - TIP.gap} ${y}L${back} ${y + TIP.half}`;
}

function corner(before: Point, [x, y]: Point, after: Point): string {
  const toBefore = Math.hypot(x - before[0], y - before[1]);
  const toAfter = Math.hypot(after[0] - x, after[1] - y);
  const radius = Math.min(RADIUS, toBefore / 2, toAfter / 2);
  const along = (end: Point, length: number): string =>
    `${round(x + ((end[0] - x) / length) * radius)} ${round(y + ((end[1] - y) / length) * radius)}`;
  return `L${along(before, toBefore)}Q${x} ${y} ${along(after, toAfter)}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
