/** Layout of one connected part at the origin: columns, order and heights, then channels and the points of lines. */

import { lanesOf } from './back-edges.ts';
import { CHANNEL_MARGIN, Channel, TRACK_WIDTH, type Vertical } from './channels.ts';
import { type BackEdge, columnsOf, type Hop, type Slot } from './columns.ts';
import { CARD_WIDTH, type Card, type DrawnEdge, HEAD_HEIGHT, type Point } from './drawing.ts';
import { extentOf, settleHeights, squeeze } from './heights.ts';
import { orderColumns } from './order.ts';
import { squeezedHeight } from './wrap.ts';

export interface Part {
  edges: DrawnEdge[];
  width: number;
  height: number;
}

/** Smaller vertical differences count as straight, in px. */
const STRAIGHT = 0.5;

/** Places the cards of `names`, which must be in walk order. `isRow`: they are a row of a longer part. */
export function placePart(
  names: readonly string[],
  cards: ReadonlyMap<string, Card>,
  back: ReadonlySet<string>,
  isRow = false,
): Part {
  const { columns, lines, backEdges } = columnsOf(names, cards, back);
  orderColumns(columns);
  settleHeights(columns);
  const { top, bottom: lowest } = extentOf(columns);
  const height = squeezedHeight(columns, lowest - top, names.length, isRow);
  if (height !== undefined) squeeze(columns, height);
  const lanes = lanesOf(backEdges);
  const bottom = shift(columns, lanes.height);

  const channels = Array.from({ length: columns.length + 1 }, () => new Channel());
  const verticals = new Map<Hop, Vertical>();
  for (const { hops } of lines) {
    for (const hop of hops) {
      const y1 = hop.from.y + hop.fromY;
      const y2 = hop.to.y + hop.to.inY;
      if (Math.abs(y1 - y2) < STRAIGHT) continue;
      verticals.set(hop, channels[hop.from.column + 1]!.add(y1, y2, `${hop.to.column} ${hop.to.index}`));
    }
  }
  const ways = backEdges.map((backEdge) => {
    const laneY = lanes.yOf(backEdge);
    const key = `${backEdge.to.column} ${backEdge.to.index}`;
    const { from, to } = backEdge;
    const up = channels[from.column + 1]!.add(from.y + backEdge.row.y, laneY, `up ${key}`);
    const down = channels[to.column]!.add(laneY, to.y + to.inY, `down ${key}`);
    return { backEdge, laneY, up, down };
  });

  const { left, widths, width } = placeColumns(columns, channels);
  const trackAt = (channel: number, { track }: Vertical): number => {
    const start = channel === 0 ? left[0]! - channels[0]!.width : left[channel - 1]! + widths[channel - 1]!;
    return start + CHANNEL_MARGIN + track * TRACK_WIDTH;
  };
  const rightOf = ({ column, card }: Slot): number => left[column]! + (card?.width ?? 0);
  const edges: DrawnEdge[] = lines.map(({ from, row, to, hops }) => {
    const points: Point[] = [];
    for (const hop of hops) {
      const y1 = hop.from.y + hop.fromY;
      const y2 = hop.to.y + hop.to.inY;
      points.push([rightOf(hop.from), y1]);
      const vertical = verticals.get(hop);
      if (vertical !== undefined) {
        const x = trackAt(hop.from.column + 1, vertical);
        points.push([x, y1], [x, y2]);
      }
      points.push([left[hop.to.column]!, y2]);
    }
    return { from, outcome: row.outcome, to, kind: row.kind, isBack: false, points };
  });
  for (const { backEdge, laneY, up, down } of ways) {
    const { from, to, row } = backEdge;
    const upX = trackAt(from.column + 1, up);
    const downX = trackAt(to.column, down);
    const outY = from.y + row.y;
    const inY = to.y + HEAD_HEIGHT / 2;
    const points: Point[] = [
      [rightOf(from), outY],
      [upX, outY],
      [upX, laneY],
      [downX, laneY],
      [downX, inY],
      [left[to.column]!, inY],
    ];
    edges.push({
      from: nameOf(backEdge.from),
      outcome: row.outcome,
      to: nameOf(backEdge.to),
      kind: row.kind,
      isBack: true,
      points,
    });
  }
  return { edges, width, height: bottom };
}

const nameOf = ({ card }: BackEdge['from']): string => card?.step.name ?? '';

/** Moves all cards below the lanes. Returns the bottom of the lowest card. */
function shift(columns: readonly Slot[][], height: number): number {
  const { top } = extentOf(columns);
  let bottom = 0;
  for (const column of columns) {
    for (const slot of column) {
      // Whole pixels keep text sharp and the picture identical on every machine.
      slot.y = Math.round(slot.y + height - top);
      bottom = Math.max(bottom, slot.y + slot.height);
    }
  }
  return bottom;
}

function placeColumns(columns: readonly Slot[][], channels: readonly Channel[]) {
  for (const channel of channels) channel.assignTracks();
  const left: number[] = [];
  const widths: number[] = [];
  let x = channels[0]!.isEmpty ? 0 : channels[0]!.width;
  for (const [index, column] of columns.entries()) {
    const width = column.reduce((widest, { card }) => Math.max(widest, card?.width ?? 0), CARD_WIDTH);
    left.push(x);
    widths.push(width);
    for (const { card, y } of column) {
      if (card === undefined) continue;
      card.x = x;
      card.y = y;
    }
    const isLast = index === columns.length - 1;
    x += width + (isLast && channels[index + 1]!.isEmpty ? 0 : channels[index + 1]!.width);
  }
  return { left, widths, width: x };
}
