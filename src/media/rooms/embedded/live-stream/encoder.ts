/**
 * Encodes the live stream of a room into segments of H.264 and AAC, with the ffmpeg of the system in its own process.
 * Its input is a single WebM stream with a track for each tile, so that it never waits for one input while another is
 * silent.
 */
import { PassThrough } from 'node:stream';
import { reasonOf } from '../../../../base/core/reason-of.ts';
import { canDrawText } from '../../drawn-text.ts';
import { type LiveFfmpegRun, runLive } from '../../ffmpeg.ts';
import { isNarrow, type Rectangle, type Size, sizeIn } from '../../picture-grid.ts';
import { mixOf } from '../../sound-mix.ts';
import type { Canvas } from './layout.ts';
import { TileLabels } from './tile-labels.ts';

export interface Encoding {
  /** Folder of the segments. */
  directory: string;
  /** Prefix of their file names. */
  name: string;
  canvas: Canvas;
  /** Tile of each video track. */
  tiles: readonly Rectangle[];
  /** True if the first tile is for a shared screen, which is never cut off and has no name. */
  hasScreen: boolean;
  /** Number of audio tracks, which follow the video tracks. */
  sounds: number;
}

export interface EncoderEvents {
  /** A segment is complete. */
  segment(file: string, durationMs: number): void;
  ended(why: string): void;
}

export interface Encoder {
  /** Bytes that ffmpeg has not read yet. */
  readonly waitingBytes: number;
  write(bytes: Buffer): void;
  /** Sets the name on a tile; empty: none. */
  label(tile: number, name: string): void;
  /** Encodes the remaining input, and ends. */
  finish(): void;
  /** Kills the process. Resolves when it has ended. */
  stop(): Promise<void>;
}

export type OpenEncoder = (encoding: Encoding, events: EncoderEvents) => Encoder;

export const FRAMES_PER_SECOND = 25;
/** In seconds. Players start three segments behind the live edge. */
const SEGMENT_S = 2;

let canDraw: Promise<boolean> | undefined;

/** True if ffmpeg can draw names; determined once in the life of the process. */
const canLabel = (): Promise<boolean> => (canDraw ??= canDrawText((args) => runLive('.', args, () => undefined).done));

export const openFfmpeg: OpenEncoder = (encoding, events) => {
  const { directory } = encoding;
  const labels = new TileLabels(encoding);
  // Keeps the bytes until it is known whether ffmpeg can draw names.
  const input = new PassThrough();
  let run: LiveFfmpegRun | undefined;
  let isStopped = false;
  let line = '';
  const printed = (text: string): void => {
    const lines = (line + text).split('\n');
    line = lines.pop()!;
    for (const each of lines) {
      const [file, from, to] = each.trim().split(',');
      if (to !== undefined) events.segment(file!, Math.round((Number(to) - Number(from)) * 1000));
    }
  };
  const start = async (): Promise<void> => {
    const hasLabels = await canLabel();
    if (isStopped) return;
    if (hasLabels) labels.create();
    run = runLive(directory, argumentsOf(encoding, hasLabels ? labels : undefined), printed);
    input.pipe(run.input);
    await run.done;
  };
  const gone = start().then(
    () => 'it came to its end',
    (error: unknown) => reasonOf(error),
  );
  void gone.then((why) => {
    labels.remove();
    events.ended(why);
  });
  return {
    get waitingBytes() {
      return input.writableLength + input.readableLength + (run?.input.writableLength ?? 0);
    },
    write: (bytes) => void input.write(bytes),
    label: (tile, name) => labels.set(tile, name),
    finish: () => void input.end(),
    stop: async () => {
      isStopped = true;
      run?.cancel();
      await gone;
    },
  };
};

function argumentsOf(encoding: Encoding, labels: TileLabels | undefined): string[] {
  const { name, canvas, sounds } = encoding;
  const rate = ['-maxrate', String(canvas.bitsPerSecond), '-bufsize', String(2 * canvas.bitsPerSecond)];
  return [
    // ffmpeg starts at once, without probing. Cameras change their frame size, which the filters handle.
    ...['-fpsprobesize', '0', '-fflags', 'nobuffer', '-reinit_filter', '0', '-threads', '1'],
    ...['-f', 'matroska', '-i', 'pipe:0'],
    ...[
      '-filter_complex',
      `${pictureGraph(encoding, labels)};\n${soundGraph(sounds)}`,
      '-map',
      '[seen]',
      '-map',
      '[heard]',
    ],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'main', '-threads', '2', '-crf', '26', ...rate],
    ...['-force_key_frames', `expr:gte(t,n_forced*${SEGMENT_S})`, '-sc_threshold', '0'],
    ...['-c:a', 'aac', '-b:a', '96k', '-ac', '2'],
    ...['-f', 'segment', '-segment_time', String(SEGMENT_S), '-segment_format', 'mpegts'],
    ...['-segment_list', 'pipe:1', '-segment_list_type', 'csv', `${name}%d.ts`],
  ];
}

const black = ({ width, height }: Size): string => `color=c=black:s=${width}x${height}:r=${FRAMES_PER_SECOND}`;

function pictureGraph({ canvas, tiles, hasScreen }: Encoding, labels: TileLabels | undefined): string {
  const lines = [`${black(canvas)}[on0]`];
  for (const [index, tile] of tiles.entries()) {
    const isCamera = !(hasScreen && index === 0);
    const at = `x='${tile.x}+(${tile.width}-w)/2':y='${tile.y}+(${tile.height}-h)/2':eval=frame:eof_action=endall`;
    const label = isCamera && labels ? `,${labels.filterOf(index)}` : '';
    lines.push(
      ...tileLines(tile, index, isCamera && isNarrow(tile)),
      `[on${index}][v${index}]overlay=${at}${label}[on${index + 1}]`,
    );
  }
  return `${lines.join(';\n')};\n[on${tiles.length}]format=yuv420p[seen]`;
}

/** A narrow tile is a canvas of its own, which cuts off the sides of its camera. */
function tileLines(tile: Rectangle, index: number, isCut: boolean): string[] {
  const { w, h } = sizeIn(tile, { isCut });
  const scaled = `[0:v:${index}]scale=w='${w}':h='${h}':eval=frame,setsar=1`;
  if (!isCut) return [`${scaled}[v${index}]`];
  const middle = `x='(W-w)/2':y='(H-h)/2':eval=frame:eof_action=endall`;
  return [`${scaled}[u${index}]`, `${black(tile)}[c${index}]`, `[c${index}][u${index}]overlay=${middle}[v${index}]`];
}

const soundGraph = (sounds: number): string =>
  `${mixOf(Array.from({ length: sounds }, (_, index) => `0:a:${index}`))}[heard]`;
