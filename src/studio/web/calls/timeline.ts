/**
 * Where a moment of a call is drawn: to scale, but for long times in which nothing happens, which are folded to a narrow
 * mark. Neighbours: `timeline-view.tsx`, `playback.ts`, which does not play what is folded.
 *
 * Invariants
 *  - a later moment is never drawn before an earlier one, and `msAt` turns `xAt` round, but for what is folded;
 *  - nothing that happened lies within a fold.
 */
export interface Fold {
  fromMs: number;
  toMs: number;
}

interface Piece extends Fold {
  fromX: number;
  toX: number;
  isFold: boolean;
}

/** Shorter waits are drawn as long as they are. */
const FOLDED_FROM_MS = 20_000;
/** Of a wait, before and after its fold. */
const KEPT_MS = 1500;
export const FOLD_WIDTH = 64;
/** Fewer pixels for a second cannot be read; then the timeline is wider than its window. */
const LEAST_PER_MS = 0.012;
const MOST_PER_MS = 0.16;
const LEAST_BETWEEN_TICKS = 96;
const TICK_STEPS_MS = [500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/** The times without events; `moments` are in order. */
export function foldsOf(moments: readonly number[], lengthMs: number): Fold[] {
  const folds: Fold[] = [];
  let last = 0;
  for (const moment of [...moments, lengthMs]) {
    if (moment - last > FOLDED_FROM_MS) folds.push({ fromMs: last + KEPT_MS, toMs: moment - KEPT_MS });
    last = Math.max(last, moment);
  }
  return folds;
}

export class TimeScale {
  readonly width: number;
  readonly folds: readonly Fold[];
  readonly lengthMs: number;
  readonly pxPerMs: number;
  readonly #pieces: readonly Piece[];

  /** Fills `width` px where that can be read; `zoom` 2 is twice as wide. */
  constructor(folds: readonly Fold[], lengthMs: number, width: number, zoom = 1) {
    const foldedMs = folds.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const drawnMs = Math.max(1, lengthMs - foldedMs);
    const fitting = (width - folds.length * FOLD_WIDTH) / drawnMs;
    this.pxPerMs = Math.min(MOST_PER_MS, Math.max(LEAST_PER_MS, fitting)) * zoom;
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

  /** Moments to write a time at; none within a fold. */
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

function piecesOf(folds: readonly Fold[], lengthMs: number, pxPerMs: number): Piece[] {
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

/** The last one of a list, in order, of which it is so; the first one where it is so of none. */
export function lastWhere<Item>(items: readonly Item[], isSo: (item: Item) => boolean): Item {
  return items[Math.max(0, countWhere(items, isSo) - 1)]!;
}

/** How many from the beginning: it is so of all of them, and of none after. */
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
