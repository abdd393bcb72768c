/**
 * Makes segments of H.264 and AAC of what a room says and shows, by ffmpeg of the system in a process of its own. It reads
 * one stream of WebM with a track for each place, so that nothing has to be waited for in another one.
 */
import { reasonOf } from '../../../core/reason-of.ts';
import { runLive } from '../../ffmpeg.ts';
import type { Rectangle } from '../../picture-grid.ts';
import { mixOf } from '../../sound-mix.ts';
import type { Canvas } from './stage.ts';

export interface Encoding {
  /** Where segments go. */
  directory: string;
  /** With which their names begin. */
  name: string;
  canvas: Canvas;
  /** Where the picture of each track is. */
  tiles: readonly Rectangle[];
  /** How many tracks of sound follow those of pictures. */
  sounds: number;
}

export interface EncoderEvents {
  /** One is whole. */
  segment(file: string, durationMs: number): void;
  ended(why: string): void;
}

export interface Encoder {
  /** What was not taken yet. */
  readonly waitingBytes: number;
  write(bytes: Buffer): void;
  /** Writes what it has, and ends. */
  finish(): void;
  /** Ends at once. Resolves when it is gone. */
  stop(): Promise<void>;
}

export type OpenEncoder = (encoding: Encoding, events: EncoderEvents) => Encoder;

export const FRAMES_PER_SECOND = 25;
/** Players begin three segments behind. */
const SEGMENT_S = 2;

export const openFfmpeg: OpenEncoder = (encoding, events) => {
  let line = '';
  const run = runLive(encoding.directory, argumentsOf(encoding), (text) => {
    const lines = (line + text).split('\n');
    line = lines.pop()!;
    for (const each of lines) {
      const [file, from, to] = each.trim().split(',');
      if (to !== undefined) events.segment(file!, Math.round((Number(to) - Number(from)) * 1000));
    }
  });
  const gone = run.done.then(
    () => 'it came to its end',
    (error: unknown) => reasonOf(error),
  );
  void gone.then((why) => events.ended(why));
  return {
    get waitingBytes() {
      return run.input.writableLength;
    },
    write: (bytes) => void run.input.write(bytes),
    finish: () => void run.input.end(),
    stop: async () => {
      run.cancel();
      await gone;
    },
  };
};

function argumentsOf({ name, canvas, tiles, sounds }: Encoding): string[] {
  const rate = ['-maxrate', String(canvas.bitsPerSecond), '-bufsize', String(2 * canvas.bitsPerSecond)];
  return [
    // It begins at once: nothing is measured before. Cameras change the size of their pictures, which is for the filters.
    ...['-fpsprobesize', '0', '-fflags', 'nobuffer', '-reinit_filter', '0', '-threads', '1'],
    ...['-f', 'matroska', '-i', 'pipe:0'],
    ...[
      '-filter_complex',
      `${pictureGraph(canvas, tiles)};\n${soundGraph(sounds)}`,
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

function pictureGraph({ width, height }: Canvas, tiles: readonly Rectangle[]): string {
  const lines = [`color=c=black:s=${width}x${height}:r=${FRAMES_PER_SECOND}[on0]`];
  for (const [index, tile] of tiles.entries()) {
    const fitted = `scale=w=${tile.width}:h=${tile.height}:eval=frame:force_original_aspect_ratio=decrease,setsar=1`;
    const at = `x='${tile.x}+(${tile.width}-w)/2':y='${tile.y}+(${tile.height}-h)/2':eval=frame:eof_action=endall`;
    lines.push(`[0:v:${index}]${fitted}[v${index}]`, `[on${index}][v${index}]overlay=${at}[on${index + 1}]`);
  }
  return `${lines.join(';\n')};\n[on${tiles.length}]format=yuv420p[seen]`;
}

const soundGraph = (sounds: number): string =>
  `${mixOf(Array.from({ length: sounds }, (_, index) => `0:a:${index}`))}[heard]`;
