/**
 * The picture that the audience sees: its size, and where on it each picture is. A shared screen is large, with cameras
 * beside it; cameras alone are a grid. What fits a few pictures more is taken, so that it seldom changes.
 */
import { even, gridOf, type Rectangle, type Size } from '../../picture-grid.ts';
import type { SessionSpec } from '../../sfu.ts';

export interface Canvas extends Size {
  /** At most. */
  bitsPerSecond: number;
}

type Quality = SessionSpec['quality'];

const CANVASES: Readonly<Record<Quality, Canvas>> = {
  HD: { width: 1280, height: 720, bitsPerSecond: 1_800_000 },
  SD: { width: 848, height: 480, bitsPerSecond: 1_000_000 },
  LD: { width: 640, height: 360, bitsPerSecond: 600_000 },
};
const QUALITIES: readonly Quality[] = ['HD', 'SD', 'LD'];

/** `steps` lower than that of the room, where the machine is too slow for it. */
export const canvasOf = (quality: Quality, steps = 0): Canvas =>
  CANVASES[QUALITIES[Math.min(QUALITIES.indexOf(quality) + steps, QUALITIES.length - 1)]!];

export interface Stage {
  /** The first tile is for a shared screen. */
  hasScreen: boolean;
  /** How many pictures have a place. */
  places: number;
}

/** How many cameras a grid has places for. */
const GRIDS = [1, 2, 4, 6, 9] as const;
const MOST_IN_GRID = 9;
const BESIDE_SCREEN = 4;

export function stageFor({ screens, cameras }: { screens: number; cameras: number }): Stage {
  if (screens > 0) return { hasScreen: true, places: 1 + BESIDE_SCREEN };
  return { hasScreen: false, places: GRIDS.find((places) => places >= cameras) ?? MOST_IN_GRID };
}

export const isSameStage = (one: Stage, other: Stage): boolean =>
  one.hasScreen === other.hasScreen && one.places === other.places;

export function tilesOf({ hasScreen, places }: Stage, canvas: Size): Rectangle[] {
  if (!hasScreen) return gridOf(places, canvas);
  const width = even(canvas.width / BESIDE_SCREEN);
  const height = even(canvas.height / BESIDE_SCREEN);
  const x = canvas.width - width;
  const beside = Array.from({ length: places - 1 }, (_, index) => ({ ...{ x, width, height }, y: index * height }));
  return [{ x: 0, y: 0, width: x, height: canvas.height }, ...beside];
}
