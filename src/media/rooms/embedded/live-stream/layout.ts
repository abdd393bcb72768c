/**
 * Layout of the live stream: canvas size, and the tile of each video. A shared screen is large, with cameras next to
 * it; cameras alone form a grid. Layouts have spare tiles, so that they seldom change.
 */
import { even, gridOf, type Rectangle, type Size } from '../../picture-grid.ts';
import type { SessionSpec } from '../../sfu.ts';

export interface Canvas extends Size {
  /** Maximum bit rate. */
  bitsPerSecond: number;
}

type Quality = SessionSpec['quality'];

const CANVASES: Readonly<Record<Quality, Canvas>> = {
  HD: { width: 1280, height: 720, bitsPerSecond: 1_800_000 },
  SD: { width: 848, height: 480, bitsPerSecond: 1_000_000 },
  LD: { width: 640, height: 360, bitsPerSecond: 600_000 },
};
const QUALITIES: readonly Quality[] = ['HD', 'SD', 'LD'];

/** Canvas `steps` sizes below the quality of the room, for a machine that is too slow for it. */
export const canvasOf = (quality: Quality, steps = 0): Canvas =>
  CANVASES[QUALITIES[Math.min(QUALITIES.indexOf(quality) + steps, QUALITIES.length - 1)]!];

export interface Layout {
  /** True if the first tile is for a shared screen. */
  hasScreen: boolean;
  /** Number of tiles. */
  places: number;
}

/** Numbers of cameras for which there is a grid. */
const GRIDS = [1, 2, 4, 6, 9] as const;
const MAX_IN_GRID = 9;
const BESIDE_SCREEN = 4;

export function layoutFor({ screens, cameras }: { screens: number; cameras: number }): Layout {
  if (screens > 0) return { hasScreen: true, places: 1 + BESIDE_SCREEN };
  return { hasScreen: false, places: GRIDS.find((places) => places >= cameras) ?? MAX_IN_GRID };
}

export const isSameLayout = (one: Layout, other: Layout): boolean =>
  one.hasScreen === other.hasScreen && one.places === other.places;

export function tilesOf({ hasScreen, places }: Layout, canvas: Size): Rectangle[] {
  if (!hasScreen) return gridOf(places, canvas);
  const width = even(canvas.width / BESIDE_SCREEN);
  const height = even(canvas.height / BESIDE_SCREEN);
  const x = canvas.width - width;
  const beside = Array.from({ length: places - 1 }, (_, index) => ({ ...{ x, width, height }, y: index * height }));
  return [{ x: 0, y: 0, width: x, height: canvas.height }, ...beside];
}
