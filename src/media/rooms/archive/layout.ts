/**
 * Layout of the composite video over time: at each time a grid of the videos, and of the tiles of participants without
 * video. Neighbour: `filter-graph.ts` writes it for ffmpeg.
 */
import { gridOf, type Rectangle } from '../picture-grid.ts';
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

export interface ShownSpan {
  fromMs: number;
  toMs: number;
  /** False for a tile. */
  isPicture: boolean;
}

export interface Placed extends Rectangle, ShownSpan {}

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
function spansOf({ beginsMs, durationMs, pictures, tile }: Shown, stepMs: number): ShownSpan[] {
  const rounded = (from: number, to: number): ShownSpan => {
    const fromMs = Math.floor((beginsMs + from) / stepMs) * stepMs;
    const toMs = Math.max(fromMs + stepMs, Math.ceil((beginsMs + to) / stepMs) * stepMs);
    return { fromMs, toMs, isPicture: true };
  };
  const seen: ShownSpan[] = [];
  for (const [from, to] of pictures) {
    const span = rounded(from, to);
    const last = seen.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else seen.push(span);
  }
  return tile === undefined ? seen : [...seen, ...between(seen, rounded(0, durationMs))];
}

/** Returns the parts of `whole` that are not in `seen`. */
function between(seen: readonly ShownSpan[], whole: ShownSpan): ShownSpan[] {
  const begins = [whole.fromMs, ...seen.map(({ toMs }) => toMs)];
  const ends = [...seen.map(({ fromMs }) => fromMs), whole.toMs];
  return begins
    .map((fromMs, index): ShownSpan => ({ fromMs, toMs: ends[index]!, isPicture: false }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

function placesOf(
  shown: readonly Shown[],
  spans: readonly (readonly ShownSpan[])[],
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

export const seconds = (ms: number): string => (ms / 1000).toFixed(3);
