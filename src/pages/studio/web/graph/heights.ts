/**
 * Assigns vertical positions. Each slot is placed as near as possible to the position that makes its lines straight, in
 * order and without overlaps. Lines that are the only one at both ends are straightened first.
 */
import type { Hop, Slot } from './columns.ts';
import { GAP } from './drawing.ts';

const ROUNDS = 16;
/** From this round on, straight lines have the greatest weight. */
const STRAIGHT_FROM = 6;
/** Initial gap below a slot. */
const gapBelow = (slot: Slot): number => (slot.card === undefined ? 10 : GAP);
/** Smaller bends in a line are removed where there is room. */
const SMALL_STEP = 22;
/** Lines can pass close to each other, but not close to cards. */
const leastGap = (above: Slot, below: Slot): number => ((above.card ?? below.card) === undefined ? 0 : 12);

export function settleHeights(columns: readonly Slot[][]): void {
  for (const column of columns) {
    let y = 0;
    for (const slot of column) {
      slot.y = y;
      y += slot.height + gapBelow(slot);
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    const isToRight = round % 2 === 0;
    const wanted = round < STRAIGHT_FROM ? (slot: Slot) => middle(slot, isToRight) : straight;
    for (const column of isToRight ? columns : columns.toReversed()) settle(column, column.map(wanted));
  }
  for (const column of columns) straighten(column);
}

/** Moves all slots towards the middle, without overlaps, until the columns have about this height. */
export function squeeze(columns: readonly Slot[][], height: number): void {
  const { top, bottom } = extentOf(columns);
  const middleY = (top + bottom) / 2;
  const factor = height / (bottom - top);
  for (const column of columns) {
    settle(
      column,
      column.map(({ y }) => middleY + (y - middleY) * factor),
    );
    straighten(column);
    keepWithin(column, middleY - height / 2, middleY + height / 2);
  }
}

function keepWithin(column: readonly Slot[], top: number, bottom: number): void {
  let highest = top;
  for (const slot of column) {
    slot.y = Math.max(slot.y, highest);
    highest = slot.y + slot.height + gapBelow(slot);
  }
  let lowest = bottom;
  for (const slot of column.toReversed()) {
    slot.y = Math.min(slot.y, lowest - slot.height);
    lowest = slot.y - GAP;
  }
}

export function extentOf(columns: readonly Slot[][]): { top: number; bottom: number } {
  let top = Infinity;
  let bottom = -Infinity;
  for (const column of columns) {
    for (const { y, height } of column) {
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + height);
    }
  }
  return { top, bottom };
}

/** Position of a slot that makes its incoming or outgoing segment straight. */
const fromLeft = ({ from, fromY, to }: Hop): number => from.y + fromY - to.inY;
const fromRight = ({ fromY, to }: Hop): number => to.y + to.inY - fromY;

function middle({ ins, outs, y }: Slot, isToRight: boolean): number {
  const places = isToRight ? ins.map(fromLeft) : outs.map(fromRight);
  if (places.length === 0) return y;
  return places.sort((one, other) => one - other)[places.length >> 1]!;
}

function straight({ ins, outs, y }: Slot): number {
  let sum = 0;
  let weight = 0;
  const count = (place: number, lines: number): void => {
    const share = 1 / lines ** 4;
    sum += share * place;
    weight += share;
  };
  for (const hop of ins) count(fromLeft(hop), hop.from.outs.length * ins.length);
  for (const hop of outs) count(fromRight(hop), hop.to.ins.length * outs.length);
  return weight > 0 ? sum / weight : y;
}

/** Pool adjacent violators: keeps the order, removes overlaps and minimises the sum of squared moves. */
function settle(column: readonly Slot[], wanted: readonly number[]): void {
  const offsets: number[] = [];
  const pools: { sum: number; weight: number; from: number; to: number }[] = [];
  let offset = 0;
  for (const [index, slot] of column.entries()) {
    offsets.push(offset);
    const weight = slot.card === undefined ? 1 : 2;
    let pool = { sum: (wanted[index]! - offset) * weight, weight, from: index, to: index };
    offset += slot.height + gapBelow(slot);
    for (
      let above = pools.at(-1);
      above !== undefined && above.sum / above.weight > pool.sum / pool.weight;
      above = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: above.sum + pool.sum, weight: above.weight + pool.weight, from: above.from, to: index };
    }
    pools.push(pool);
  }
  for (const { sum, weight, from, to } of pools) {
    for (let index = from; index <= to; index++) column[index]!.y = sum / weight + offsets[index]!;
  }
}

function straighten(column: readonly Slot[]): void {
  for (const [index, slot] of column.entries()) {
    const hop = slot.ins.find((each) => Math.abs(fromLeft(each) - slot.y) < SMALL_STEP);
    if (hop === undefined || (hop !== slot.ins[0] && slot.card !== undefined)) continue;
    const y = fromLeft(hop);
    const above = column[index - 1];
    const below = column[index + 1];
    if (above !== undefined && y < slot.y && y < above.y + above.height + leastGap(above, slot)) continue;
    if (below !== undefined && y > slot.y && y + slot.height > below.y - leastGap(slot, below)) continue;
    slot.y = y;
  }
}
