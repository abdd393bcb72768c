/**
 * Layout of the composite video over time: at each time a grid of the videos, and of the tiles of participants without
 * video. Written as ffmpeg filter graphs.
 */
import { gridOf, type Rectangle } from '../picture-grid.ts';
import { mixOf } from '../sound-mix.ts';
import type { ArchivedFile } from './archive.ts';

export const CANVAS = { width: 1280, height: 720, framesPerSecond: 25 } as const;

/** File with video, or participant with audio only. */
export interface Shown extends Pick<ArchivedFile, 'kind'> {
  /** Relative to the start of the session's recording. */
  beginsMs: number;
  durationMs: number;
  /** Periods with video, relative to the start of the file. */
  pictures: readonly (readonly [number, number])[];
  /** Input that is shown while there is no video; absent: no tile is shown. */
  tile?: string;
  /** Filter that writes the name on the video, without its position; absent: it has no name. */
  label?: string;
}

interface Span {
  fromMs: number;
  toMs: number;
  /** False for a tile. */
  isPicture: boolean;
}

export interface Placed extends Rectangle, Span {}

/** Distance of a name from the edges of its tile. */
const LABEL_MARGIN = 12;
/** Number of layout changes above which the time step is doubled. */
const MAX_CHANGES = 300;
/** Layout changes happen at multiples of this step. */
const FIRST_STEP_MS = 500;
/** Frame rate of tiles: they change only with the layout. */
export const TILES_PER_SECOND = 1000 / FIRST_STEP_MS;

/** Returns the positions of each, in order. */
export function layOut(shown: readonly Shown[]): Placed[][] {
  for (let stepMs = FIRST_STEP_MS; ; stepMs *= 2) {
    const spans = shown.map((each) => spansOf(each, stepMs));
    const times = spans.flat().flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
    const changes = [...new Set(times)].sort((a, b) => a - b);
    if (changes.length <= MAX_CHANGES) return placesOf(shown, spans, changes);
  }
}

/** Rounded outwards, so that a video that starts for a moment does not move the others. */
function spansOf({ beginsMs, durationMs, pictures, tile }: Shown, stepMs: number): Span[] {
  const rounded = (from: number, to: number): Span => {
    const fromMs = Math.floor((beginsMs + from) / stepMs) * stepMs;
    const toMs = Math.max(fromMs + stepMs, Math.ceil((beginsMs + to) / stepMs) * stepMs);
    return { fromMs, toMs, isPicture: true };
  };
  const seen: Span[] = [];
  for (const [from, to] of pictures) {
    const span = rounded(from, to);
    const last = seen.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else seen.push(span);
  }
  return tile === undefined ? seen : [...seen, ...between(seen, rounded(0, durationMs))];
}

/** Returns the parts of `whole` that are not in `seen`. */
function between(seen: readonly Span[], whole: Span): Span[] {
  const begins = [whole.fromMs, ...seen.map(({ toMs }) => toMs)];
  const ends = [...seen.map(({ fromMs }) => fromMs), whole.toMs];
  return begins
    .map((fromMs, index): Span => ({ fromMs, toMs: ends[index]!, isPicture: false }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

function placesOf(
  shown: readonly Shown[],
  spans: readonly (readonly Span[])[],
  changes: readonly number[],
): Placed[][] {
  const places: Placed[][] = shown.map(() => []);
  for (const [index, fromMs] of changes.slice(0, -1).entries()) {
    const toMs = changes[index + 1]!;
    const there = spans.flatMap((of, which) => {
      const span = of.find((each) => each.fromMs <= fromMs && each.toMs >= toMs);
      return span ? [{ which, isPicture: span.isPicture }] : [];
    });
    // A shared screen comes first.
    there.sort((a, b) => rank(shown[a.which]!) - rank(shown[b.which]!));
    const grid = gridOf(there.length, CANVAS);
    for (const [place, { which, isPicture }] of there.entries()) {
      put(places[which]!, { fromMs, toMs, isPicture, ...grid[place]! });
    }
  }
  return places;
}

const rank = ({ kind }: Shown): number => (kind === 'screen' ? 0 : 1);

const COMPARED = ['x', 'y', 'width', 'height', 'isPicture'] as const;

function put(places: Placed[], place: Placed): void {
  const last = places.at(-1);
  const isSame = last?.toMs === place.fromMs && COMPARED.every((each) => last[each] === place[each]);
  if (isSame) last.toMs = place.toMs;
  else places.push(place);
}

/** Filter graph that puts all videos on one canvas; inputs are the files with video, in order. */
export function pictureGraph(shown: readonly Shown[], totalMs: number): string {
  const { width, height, framesPerSecond } = CANVAS;
  const sources: { source: string; places: Placed[]; label?: string | undefined }[] = [];
  let inputs = 0;
  for (const [index, places] of layOut(shown).entries()) {
    const { pictures, tile, label } = shown[index]!;
    if (pictures.length > 0) {
      sources.push({ source: `[${inputs++}:v]`, places: places.filter(({ isPicture }) => isPicture), label });
    }
    const unseen = places.filter(({ isPicture }) => !isPicture);
    if (tile !== undefined && unseen.length > 0) sources.push({ source: `${tile},`, places: unseen });
  }
  const rate = inputs > 0 ? framesPerSecond : TILES_PER_SECOND;
  const canvas = `color=c=black:s=${width}x${height}:r=${rate}:d=${seconds(totalMs)}[on0]`;
  const lines = sources.flatMap(({ source, places, label }, index) => overlay(source, { places, label }, index));
  return `${[canvas, ...lines].join(';\n')};\n[on${sources.length}]format=yuv420p[out]\n`;
}

function overlay(
  source: string,
  { places, label }: { places: readonly Placed[]; label?: string | undefined },
  index: number,
): string[] {
  const of = (value: (place: Placed) => number | string): string =>
    places.map((place) => `${value(place)}*${isNow(place)}`).join('+');
  const size = `w='${of((place) => place.width)}':h='${of((place) => place.height)}'`;
  const at = `x='${of(({ x, width: most }) => `(${x}+(${most}-w)/2)`)}':y='${of(({ y, height: most }) => `(${y}+(${most}-h)/2)`)}'`;
  const enable = `enable='${places.map(isNow).join('+')}'`;
  const corner = `x='${of(({ x }) => x + LABEL_MARGIN)}':y='${of(({ y, height }) => y + height - LABEL_MARGIN)}-text_h'`;
  const named = label === undefined ? '' : `,${label}:${corner}:${enable}`;
  return [
    `${source}scale=${size}:eval=frame:force_original_aspect_ratio=decrease,setsar=1[v${index}]`,
    `[on${index}][v${index}]overlay=${at}:eval=frame:eof_action=pass:${enable}${named}[on${index + 1}]`,
  ];
}

const isNow = ({ fromMs, toMs }: Span): string => `gte(t,${seconds(fromMs)})*lt(t,${seconds(toMs)})`;

/** Filter graph that mixes all audio; inputs are the files, in order. Gaps become silence. */
export const soundGraph = (files: readonly unknown[]): string =>
  `${mixOf(files.map((_, index) => `${index}:a`))}[out]\n`;

export const seconds = (ms: number): string => (ms / 1000).toFixed(3);
