/** Writes the layout of the composite video as filter graphs of ffmpeg. */
import { LABEL_MARGIN } from '../drawn-text.ts';
import { isNarrow, type Size, sizeIn } from '../picture-grid.ts';
import { mixOf } from '../sound-mix.ts';
import { CANVAS, layOut, type Placed, type Shown, type ShownSpan, seconds, TILES_PER_SECOND } from './layout.ts';

/** Input on the canvas, as it is at some times. */
interface Overlay {
  input: string;
  places: readonly Placed[];
  label?: string | undefined;
  /** Size of the tile to which the video is cut. */
  cutTo?: Size;
}

/** Filter graph that puts all videos on one canvas; inputs are the files with video, in order. */
export function pictureGraph(shown: readonly Shown[], totalMs: number): string {
  const { width, height, framesPerSecond } = CANVAS;
  const lines: string[] = [];
  const overlays: Overlay[] = [];
  let inputs = 0;
  for (const [index, places] of layOut(shown).entries()) {
    const { kind, pictures, tile, label } = shown[index]!;
    if (pictures.length > 0) {
      const input = `[${inputs++}:v]`;
      const seen = places.filter(({ isPicture }) => isPicture);
      const parts = kind === 'screen' ? [{ places: seen }] : bySize(seen);
      const names = parts.map((_, part) => (parts.length === 1 ? input : `[p${index}_${part}]`));
      if (parts.length > 1) lines.push(`${input}split=${parts.length}${names.join('')}`);
      overlays.push(...parts.map((part, at): Overlay => ({ ...part, input: names[at]!, label })));
    }
    const unseen = places.filter(({ isPicture }) => !isPicture);
    if (tile !== undefined && unseen.length > 0) overlays.push({ input: `${tile},`, places: unseen });
  }
  const rate = inputs > 0 ? framesPerSecond : TILES_PER_SECOND;
  const black = (size: Size): string => `color=c=black:s=${size.width}x${size.height}:r=${rate}:d=${seconds(totalMs)}`;
  lines.push(`${black({ width, height })}[on0]`, ...overlays.flatMap((each, index) => linesOf(each, index, black)));
  return `${lines.join(';\n')};\n[on${overlays.length}]format=yuv420p[out]\n`;
}

/** Places of a camera: those in narrow tiles by the size of the tile, and the others together. */
function bySize(places: readonly Placed[]): Pick<Overlay, 'places' | 'cutTo'>[] {
  const groups = Map.groupBy(places, (place) => (isNarrow(place) ? `${place.width}x${place.height}` : ''));
  return [...groups].map(([size, same]) => (size === '' ? { places: same } : { places: same, cutTo: same[0]! }));
}

function linesOf({ input, places, label, cutTo }: Overlay, index: number, black: (size: Size) => string): string[] {
  const of = (value: (place: Placed) => number | string): string =>
    places.map((place) => `${value(place)}*${isNow(place)}`).join('+');
  const at = `x='${of(({ x, width: most }) => `(${x}+(${most}-w)/2)`)}':y='${of(({ y, height: most }) => `(${y}+(${most}-h)/2)`)}'`;
  const times = places.map(isNow).join('+');
  const corner = `x='${of(({ x }) => x + LABEL_MARGIN)}':y='${of(({ y, height }) => y + height - LABEL_MARGIN)}-text_h'`;
  const named = label === undefined ? '' : `,${label}:${corner}:enable='${times}'`;
  const scaled = (size: string): string => `${input}scale=${size}:eval=frame`;
  const fitted = `w='${of((place) => place.width)}':h='${of((place) => place.height)}'`;
  const tile = cutTo
    ? cutLines(scaled, { cutTo, times }, index, black)
    : [`${scaled(fitted)}:force_original_aspect_ratio=decrease,setsar=1[v${index}]`];
  const overlay = `overlay=${at}:eval=frame:eof_action=pass:enable='${times}'`;
  return [...tile, `[on${index}][v${index}]${overlay}${named}[on${index + 1}]`];
}

/** The `crop` filter expects frames of one size, so that an overlay on a canvas of the size of the tile cuts the sides. */
function cutLines(
  scaled: (size: string) => string,
  { cutTo, times }: { cutTo: Size; times: string },
  index: number,
  black: (size: Size) => string,
): string[] {
  const { w, h } = sizeIn(cutTo, { isCut: true, if: times });
  return [
    `${scaled(`w='${w}':h='${h}'`)},setsar=1[u${index}]`,
    `${black(cutTo)}[c${index}]`,
    `[c${index}][u${index}]overlay=x='(W-w)/2':y='(H-h)/2':eval=frame:eof_action=pass[v${index}]`,
  ];
}

const isNow = ({ fromMs, toMs }: ShownSpan): string => `gte(t,${seconds(fromMs)})*lt(t,${seconds(toMs)})`;

/** Filter graph that mixes all audio; inputs are the files, in order. Gaps become silence. */
export const soundGraph = (files: readonly unknown[]): string =>
  `${mixOf(files.map((_, index) => `${index}:a`))}[out]\n`;
