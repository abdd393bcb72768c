/**
 * Order within columns: initially that of the text, then sorted by the mean height of the adjacent slots in alternating
 * sweeps. The order with the fewest crossings is kept. Row heights count, so that the lines of one card do not cross.
 */
import type { Slot } from './columns.ts';

const ROUNDS = 8;

export function orderColumns(columns: Slot[][]): void {
  for (const column of columns) number(column);
  let fewest = crossingsOf(columns);
  let best = columns.map((column) => [...column]);
  for (let round = 0; round < ROUNDS && fewest > 0; round++) {
    const isToRight = round % 2 === 0;
    for (const column of isToRight ? columns : columns.toReversed()) sort(column, isToRight);
    const now = crossingsOf(columns);
    if (now >= fewest) continue;
    fewest = now;
    best = columns.map((column) => [...column]);
  }
  for (const [index, column] of best.entries()) {
    columns[index] = column;
    number(column);
  }
}

function number(column: readonly Slot[]): void {
  for (const [index, slot] of column.entries()) slot.index = index;
}

/** Exit position of a line in its column, in slots. Rows lower on a card count as lower. */
const leavingAt = (slot: Slot, y: number): number => slot.index + y / (slot.height + 1);

function sort(column: Slot[], isToRight: boolean): void {
  const weights = new Map<Slot, number>();
  for (const slot of column) {
    let sum = 0;
    const hops = isToRight ? slot.ins : slot.outs;
    for (const { from, fromY, to } of hops)
      sum += isToRight ? leavingAt(from, fromY) : leavingAt(to, to.inY) - fromY / 1e4;
    weights.set(slot, hops.length > 0 ? sum / hops.length : slot.index);
  }
  column.sort((one, other) => weights.get(one)! - weights.get(other)!);
  number(column);
}

function crossingsOf(columns: readonly Slot[][]): number {
  let sum = 0;
  for (const column of columns) {
    const ends = column.flatMap(({ outs }) =>
      outs.map((hop) => ({ at: leavingAt(hop.from, hop.fromY), to: hop.to.index })),
    );
    ends.sort((one, other) => one.at - other.at || one.to - other.to);
    sum += inversionsOf(ends.map(({ to }) => to));
  }
  return sum;
}

/** Number of inversions, counted with a Fenwick tree. */
export function inversionsOf(list: readonly number[]): number {
  const size = list.reduce((most, value) => Math.max(most, value), 0) + 2;
  const tree = new Int32Array(size + 1);
  let sum = 0;
  for (let index = list.length - 1; index >= 0; index--) {
    for (let at = list[index]!; at > 0; at -= at & -at) sum += tree[at]!;
    for (let at = list[index]! + 1; at <= size; at += at & -at) tree[at]! += 1;
  }
  return sum;
}
