/**
 * Proportions of a drawing: ranks with many cards are spread over several columns, and a long chain is broken into rows
 * below each other. Both aim at the proportions of a usual view, so that a big flow is not a thin strip. Pure.
 */
import { CARD_WIDTH, type Card, GAP, PASS_HEIGHT } from './drawing.ts';
import { append, depthsOf } from './hub-targets.ts';

/** Line between steps. */
interface Link {
  from: string;
  to: string;
}

/** Width of a usual view, relative to its height. */
const ASPECT = 1.5;
/** Wider drawings, relative to their height, are broken into rows. */
const WIDEST = 3;
/** Width from which a drawing is broken into rows: three times that of a usual view. */
const LONG = 4200;
/** A column with more cards or of a greater height can be spread. */
const FEW = 9;
const TALL = 1440;
/** Minimum number of cards in a column that is spread. */
const LEAST = 4;
/** Growth of the number of cards that are tried for a column. */
const GROWTH = 1.3;
/** Estimated width of a column with its lines. */
const COLUMN_WIDTH = CARD_WIDTH + 70;
/** Height of a drawing, relative to that of its tallest column. */
const LOOSE = 1.15;
/** Estimated height of a card with its gap, and of a row of the drawing with its lanes. */
const CARD_PITCH = 110;
const ROW_GAP = 70;
/** Smaller drawings keep the heights that make their lines straight. */
const SMALL = 12;

/**
 * Ranks of steps, the lowest is 0. A step without incoming lines is next to its first target. `names` must be in walk
 * order.
 */
export function ranksOf(names: readonly string[], links: readonly Link[]): Map<string, number> {
  const into = new Map<string, Link[]>();
  const outOf = new Map<string, Link[]>();
  for (const link of links) {
    append(into, link.to, link);
    append(outOf, link.from, link);
  }
  const ranks = depthsOf(names, into, outOf);
  for (const name of names) {
    const out = outOf.get(name);
    if (out === undefined || into.has(name)) continue;
    ranks.set(name, Math.min(...out.map(({ to }) => ranks.get(to)!)) - 1);
  }
  const lowest = Math.min(...ranks.values());
  for (const [name, rank] of ranks) ranks.set(name, rank - lowest);
  return ranks;
}

/** Columns of steps: their ranks, of which crowded ones are spread over several columns. */
export function spread(
  names: readonly string[],
  ranks: ReadonlyMap<string, number>,
  links: readonly Link[],
  cards: ReadonlyMap<string, Card>,
): Map<string, number> {
  const counts: number[] = [];
  for (const name of names) counts[ranks.get(name)!] = (counts[ranks.get(name)!] ?? 0) + 1;
  const most = Math.max(...counts);
  let best = columnsWith(names, ranks, counts, most);
  const size = sizeOf(best, links, cards);
  if (most <= FEW && size.height <= TALL) return best;
  let least = faultOf(size);
  for (let few = LEAST; few < most; few = Math.ceil(few * GROWTH)) {
    const columns = columnsWith(names, ranks, counts, few);
    const fault = faultOf(sizeOf(columns, links, cards));
    if (fault >= least) continue;
    least = fault;
    best = columns;
  }
  return best;
}

/** Consecutive steps of a rank alternate between its columns, which keeps their lines short. */
function columnsWith(
  names: readonly string[],
  ranks: ReadonlyMap<string, number>,
  counts: readonly number[],
  most: number,
): Map<string, number> {
  const first: number[] = [];
  let next = 0;
  for (const [rank, count] of counts.entries()) {
    first[rank] = next;
    next += Math.ceil(count / most);
  }
  const seen = counts.map(() => 0);
  return new Map(
    names.map((name) => {
      const rank = ranks.get(name)!;
      const parts = Math.ceil(counts[rank]! / most);
      return [name, first[rank]! + (seen[rank]!++ % parts)];
    }),
  );
}

/** Estimated size of a drawing. */
function sizeOf(columns: ReadonlyMap<string, number>, links: readonly Link[], cards: ReadonlyMap<string, Card>) {
  const heights: number[] = [];
  const passing: number[] = [];
  for (const [name, column] of columns) heights[column] = (heights[column] ?? 0) + cards.get(name)!.height + GAP;
  for (const { from, to } of links) {
    for (let column = columns.get(from)! + 1; column < columns.get(to)!; column++)
      passing[column] = (passing[column] ?? 0) + 1;
  }
  const tallest = heights.map((height, column) => height + (passing[column] ?? 0) * (PASS_HEIGHT + 10));
  return { width: heights.length * COLUMN_WIDTH, height: Math.max(...tallest) * LOOSE };
}

const faultOf = ({ width, height }: { width: number; height: number }): number =>
  Math.abs(Math.log(width / height / ASPECT));

/** Rows of a part that is a long chain: breaks are at the ranks that the fewest lines cross. One row if it is short. */
export function rowsOf(names: readonly string[], links: readonly Link[]): string[][] {
  const ranks = ranksOf(names, links);
  const counts: number[] = [];
  for (const rank of ranks.values()) counts[rank] = (counts[rank] ?? 0) + 1;
  const width = counts.length * COLUMN_WIDTH;
  const height = Math.max(...counts) * CARD_PITCH + ROW_GAP;
  if (width <= LONG || width / height <= WIDEST) return [[...names]];
  const rows = Math.ceil(Math.sqrt(width / height / WIDEST));
  const crossing = counts.map(() => 0);
  for (const { from, to } of links) for (let at = ranks.get(from)!; at < ranks.get(to)!; at++) crossing[at]! += 1;
  const length = counts.length / rows;
  const ends = Array.from({ length: rows - 1 }, (_, row) => breakNear((row + 1) * length, length / 4, crossing));
  return [...ends, counts.length - 1].map((end, row) => {
    const after = row === 0 ? -1 : ends[row - 1]!;
    return names.filter((name) => ranks.get(name)! > after && ranks.get(name)! <= end);
  });
}

/** Rank after which to break, at most `reach` from `wanted`. The nearest of those with the fewest crossing lines. */
function breakNear(wanted: number, reach: number, crossing: readonly number[]): number {
  let best = Math.round(wanted) - 1;
  for (let at = Math.ceil(wanted - reach) - 1; at <= Math.floor(wanted + reach) - 1; at++) {
    const difference = (crossing[at] ?? Infinity) - crossing[best]!;
    if (difference < 0 || (difference === 0 && Math.abs(at + 1 - wanted) < Math.abs(best + 1 - wanted))) best = at;
  }
  return best;
}

interface Column {
  readonly length: number;
  reduce(add: (sum: number, slot: { height: number }) => number, first: number): number;
}

/**
 * Height to which a part is squeezed, undefined if its straight lines may take what they need. A row of a long chain is
 * always squeezed, because it would run down diagonally.
 */
export function squeezedHeight(
  columns: readonly Column[],
  height: number,
  count: number,
  isRow: boolean,
): number | undefined {
  const width = columns.length * COLUMN_WIDTH;
  const isTall = count > SMALL && width / height < ASPECT;
  if (!isRow && !isTall) return undefined;
  const tallest = Math.max(...columns.map((column) => column.reduce((sum, slot) => sum + slot.height + GAP, 0)));
  const wanted = Math.max(tallest * LOOSE, isRow ? 0 : width / ASPECT);
  return wanted < height ? wanted : undefined;
}
