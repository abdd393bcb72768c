/**
 * Assigns steps to columns from left to right, by the length of the longest path to them. A line that passes a column
 * gets a slot there, so that it crosses no card. Used with `wrap.ts`, `order.ts`, `heights.ts` and `channels.ts`.
 */
import { type Card, type CardRow, exitId, HEAD_HEIGHT, PASS_HEIGHT } from './drawing.ts';
import { ranksOf, spread } from './wrap.ts';

/** A card, or the slot in which a line passes a column. */
export interface Slot {
  column: number;
  /** Index in the column, from above. */
  index: number;
  height: number;
  y: number;
  /** Distance of incoming lines from the top of the slot. */
  inY: number;
  card?: Card;
  ins: Hop[];
  outs: Hop[];
}

/** Segment of a line between adjacent columns. */
export interface Hop {
  from: Slot;
  /** Distance from the top of `from`. */
  fromY: number;
  to: Slot;
  /** The line that this segment belongs to. */
  line: ExitLine;
}

/** A forward exit drawn as a line. */
export interface ExitLine {
  from: string;
  row: CardRow;
  to: string;
  hops: Hop[];
}

/** A back edge drawn as a loop. */
export interface BackEdge {
  from: Slot;
  row: CardRow;
  to: Slot;
}

export interface Columns {
  columns: Slot[][];
  lines: ExitLine[];
  backEdges: BackEdge[];
}

/** `names` must be in walk order. */
export function columnsOf(
  names: readonly string[],
  cards: ReadonlyMap<string, Card>,
  back: ReadonlySet<string>,
): Columns {
  const lines: ExitLine[] = [];
  const backward: { from: string; row: CardRow }[] = [];
  for (const from of names) {
    for (const row of cards.get(from)!.rows) {
      if (row.chip !== undefined) continue;
      if (back.size > 0 && back.has(exitId(from, row.outcome))) backward.push({ from, row });
      else lines.push({ from, row, to: row.target, hops: [] });
    }
  }
  const columnOf = spread(names, ranksOf(names, lines), lines, cards);
  const columns: Slot[][] = Array.from({ length: Math.max(...columnOf.values()) + 1 }, () => []);
  const put = (column: number, height: number, inY: number, card?: Card): Slot => {
    const slot: Slot = { column, index: 0, height, y: 0, inY, ins: [], outs: [], ...(card && { card }) };
    columns[column]!.push(slot);
    return slot;
  };
  const slots = new Map<string, Slot>();
  for (const name of names) {
    const card = cards.get(name)!;
    slots.set(name, put(columnOf.get(name)!, card.height, HEAD_HEIGHT / 2, card));
  }
  for (const line of lines) {
    const end = slots.get(line.to)!;
    let from = slots.get(line.from)!;
    let fromY = line.row.y;
    const join = (to: Slot): void => {
      const hop: Hop = { from, fromY, to, line };
      line.hops.push(hop);
      from.outs.push(hop);
      to.ins.push(hop);
    };
    for (let column = from.column + 1; column < end.column; column++) {
      const pass = put(column, PASS_HEIGHT, PASS_HEIGHT / 2);
      join(pass);
      from = pass;
      fromY = PASS_HEIGHT / 2;
    }
    join(end);
  }
  const backEdges = backward.map(({ from, row }) => ({ from: slots.get(from)!, row, to: slots.get(row.target)! }));
  return { columns, lines, backEdges };
}
