/**
 * Maps moments of a call to positions, to scale. Long times without events are folded to a narrow mark. Used by
 * `timeline-view.tsx`, and by `playback.ts`, which skips folded times.
 *
 * Invariants
 * - positions increase with time, and `msAt` is the inverse of `xAt` except within a fold;
 * - no event lies within a fold.
 */
export interface TimeFold {
  fromMs: number;
  toMs: number;
}

interface Piece extends TimeFold {
  fromX: number;
  toX: number;
  isFold: boolean;
}

/** Shorter waits are drawn to scale. */
const FOLDED_FROM_MS = 20_000;
/** Part of a wait that stays visible before and after its fold. */
const KEPT_MS = 1500;
export const FOLD_WIDTH = 64;
/** Minimum scale for a legible timeline. If it does not fit, the timeline is wider than its window. */
const LEAST_PER_MS = 0.012;
const MAX_PER_MS = 0.16;
const LEAST_BETWEEN_TICKS = 96;
const TICK_STEPS_MS = [500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/** Times without events. `moments` must be sorted. */
export function foldsOf(moments: readonly number[], lengthMs: number): TimeFold[] {
  const folds: TimeFold[] = [];
  let last = 0;
  for (const moment of [...moments, lengthMs]) {
    if (moment - last > FOLDED_FROM_MS) folds.push({ fromMs: last + KEPT_MS, toMs: moment - KEPT_MS });
    last = Math.max(last, moment);
  }
  return folds;
}

export class TimeScale {
  readonly width: number;
  readonly folds: readonly TimeFold[];
  readonly lengthMs: number;
  readonly pxPerMs: number;
  readonly #pieces: readonly Piece[];

  /** Fits `width` px if that is legible. `zoom` 2 doubles the width. */
  constructor(folds: readonly TimeFold[], lengthMs: number, width: number, zoom = 1) {
    const foldedMs = folds.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const drawnMs = Math.max(1, lengthMs - foldedMs);
    const fitting = (width - folds.length * FOLD_WIDTH) / drawnMs;
    this.pxPerMs = Math.min(MAX_PER_MS, Math.max(LEAST_PER_MS, fitting)) * zoom;
    this.folds = folds;
    this.lengthMs = lengthMs;
    this.#pieces = piecesOf(folds, Math.max(1, lengthMs), this.pxPerMs);
    this.width = this.#pieces.at(-1)!.toX;
  }

  xAt(ms: number): number {
    const { fromMs, toMs, fromX, toX } = lastWhere(this.#pieces, (piece) => piece.fromMs <= ms);
    return fromX + ((clamp(ms, fromMs, toMs) - fromMs) / (toMs - fromMs)) * (toX - fromX);
  }

  msAt(x: number): number {
    const { fromMs, toMs, fromX, toX } = lastWhere(this.#pieces, (piece) => piece.fromX <= x);
    return fromMs + ((clamp(x, fromX, toX) - fromX) / (toX - fromX)) * (toMs - fromMs);
  }

  /** Times for axis labels; none lies within a fold. */
  ticks(): number[] {
    const step = TICK_STEPS_MS.find((each) => each * this.pxPerMs >= LEAST_BETWEEN_TICKS) ?? TICK_STEPS_MS.at(-1)!;
    return this.#pieces
      .filter(({ isFold }) => !isFold)
      .flatMap(({ fromMs, toMs }) => {
        const first = Math.ceil(fromMs / step);
        const count = Math.max(0, Math.floor(toMs / step) - first + 1);
        return Array.from({ length: count }, (_, index) => (first + index) * step);
      });
  }
}

function piecesOf(folds: readonly TimeFold[], lengthMs: number, pxPerMs: number): Piece[] {
  const pieces: Piece[] = [];
  let ms = 0;
  let x = 0;
  const add = (toMs: number, isFold: boolean): void => {
    if (toMs <= ms) return;
    const toX = x + (isFold ? FOLD_WIDTH : (toMs - ms) * pxPerMs);
    pieces.push({ fromMs: ms, toMs, fromX: x, toX, isFold });
    ms = toMs;
    x = toX;
  };
  for (const { fromMs, toMs } of folds) {
    add(fromMs, false);
    add(toMs, true);
  }
  add(lengthMs, false);
  return pieces;
}

/** Last item of a sorted list that satisfies `isSo`, or the first item if none does. */
export function lastWhere<Item>(items: readonly Item[], isSo: (item: Item) => boolean): Item {
  return items[Math.max(0, countWhere(items, isSo) - 1)]!;
}

/** Number of leading items that satisfy `isSo`, by binary search: no item after them may satisfy it. */
export function countWhere<Item>(items: readonly Item[], isSo: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
