/**
 * Where each picture of a session is, and when: a grid of those that are there at a moment. Written as graphs of filters
 * for ffmpeg.
 */
import { gridOf, type Rectangle } from '../picture-grid.ts';
import { mixOf } from '../sound-mix.ts';
import type { ArchivedFile } from './archive.ts';

export const CANVAS = { width: 1280, height: 720, framesPerSecond: 25 } as const;

export interface PlacedFile extends Pick<ArchivedFile, 'file' | 'kind'> {
  /** From the beginning of the session's recording on. */
  beginsMs: number;
  durationMs: number;
  /** When there is a picture, from the beginning of the file on. */
  pictures: readonly (readonly [number, number])[];
}

export interface Tile extends Rectangle {
  fromMs: number;
  toMs: number;
}

/** More changes than that are taken together. */
const MOST_CHANGES = 300;
const FIRST_STEP_MS = 500;

/** The tiles of each file, in order. */
export function layOut(files: readonly PlacedFile[]): Tile[][] {
  for (let stepMs = FIRST_STEP_MS; ; stepMs *= 2) {
    const spans = files.map((file) => spansOf(file, stepMs));
    const changes = [...new Set(spans.flat(2))].sort((a, b) => a - b);
    if (changes.length <= MOST_CHANGES) return tilesOf(files, spans, changes);
  }
}

/** Rounded outwards, so that a picture that goes for a moment does not move the others. */
function spansOf({ beginsMs, pictures }: PlacedFile, stepMs: number): [number, number][] {
  const spans: [number, number][] = [];
  for (const [from, to] of pictures) {
    const begins = Math.floor((beginsMs + from) / stepMs) * stepMs;
    const ends = Math.max(begins + stepMs, Math.ceil((beginsMs + to) / stepMs) * stepMs);
    const last = spans.at(-1);
    if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
    else spans.push([begins, ends]);
  }
  return spans;
}

function tilesOf(
  files: readonly PlacedFile[],
  spans: readonly (readonly [number, number][])[],
  changes: readonly number[],
): Tile[][] {
  const tiles: Tile[][] = files.map(() => []);
  for (const [index, fromMs] of changes.slice(0, -1).entries()) {
    const toMs = changes[index + 1]!;
    const shown = [...files.keys()].filter((file) => spans[file]!.some(([from, to]) => from <= fromMs && to >= toMs));
    // A shared screen comes first.
    const order = shown.sort((a, b) => rank(files[a]!) - rank(files[b]!));
    const grid = gridOf(order.length, CANVAS);
    for (const [place, file] of order.entries()) put(tiles[file]!, { fromMs, toMs, ...grid[place]! });
  }
  return tiles;
}

const rank = ({ kind }: PlacedFile): number => (kind === 'screen' ? 0 : 1);

function put(tiles: Tile[], tile: Tile): void {
  const last = tiles.at(-1);
  const isSame =
    last?.toMs === tile.fromMs && (['x', 'y', 'width', 'height'] as const).every((each) => last[each] === tile[each]);
  if (isSame) last.toMs = tile.toMs;
  else tiles.push(tile);
}

/** Pictures of all files on one canvas; inputs are the files, in order. */
export function pictureGraph(files: readonly PlacedFile[], totalMs: number): string {
  const { width, height, framesPerSecond } = CANVAS;
  const placed = layOut(files);
  const lines = [`color=c=black:s=${width}x${height}:r=${framesPerSecond}:d=${seconds(totalMs)}[on0]`];
  for (const [index, tiles] of placed.entries()) {
    const of = (value: (tile: Tile) => number | string): string =>
      tiles.map((tile) => `${value(tile)}*${isNow(tile)}`).join('+');
    const size = `w='${of((tile) => tile.width)}':h='${of((tile) => tile.height)}'`;
    const at = `x='${of(({ x, width: most }) => `(${x}+(${most}-w)/2)`)}':y='${of(({ y, height: most }) => `(${y}+(${most}-h)/2)`)}'`;
    lines.push(
      `[${index}:v]scale=${size}:eval=frame:force_original_aspect_ratio=decrease,setsar=1[v${index}]`,
      `[on${index}][v${index}]overlay=${at}:eval=frame:eof_action=pass:enable='${tiles.map(isNow).join('+')}'[on${index + 1}]`,
    );
  }
  return `${lines.join(';\n')};\n[on${placed.length}]format=yuv420p[out]\n`;
}

const isNow = ({ fromMs, toMs }: Tile): string => `gte(t,${seconds(fromMs)})*lt(t,${seconds(toMs)})`;

/** What all say, together; inputs are the files, in order. Gaps are silence. */
export const soundGraph = (files: readonly unknown[]): string =>
  `${mixOf(files.map((_, index) => `${index}:a`))}[out]\n`;

export const seconds = (ms: number): string => (ms / 1000).toFixed(3);
