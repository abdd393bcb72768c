/**
 * Encodes the live stream of a room into segments of H.264 and AAC, with the ffmpeg of the system in its own process.
 * Its input is a single WebM stream with a track for each tile, so that it never waits for one input while another is
 * silent.
 */
import { reasonOf } from '../../../../base/core/reason-of.ts';
import { runLive } from '../../ffmpeg.ts';
import type { Rectangle } from '../../picture-grid.ts';
import { mixOf } from '../../sound-mix.ts';
import type { Canvas } from './layout.ts';

export interface Encoding {
  /** Folder of the segments. */
  directory: string;
  /** Prefix of their file names. */
  name: string;
  canvas: Canvas;
  /** Tile of each video track. */
  tiles: readonly Rectangle[];
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
  /** Encodes the remaining input, and ends. */
  finish(): void;
  /** Kills the process. Resolves when it has ended. */
  stop(): Promise<void>;
}

export type OpenEncoder = (encoding: Encoding, events: EncoderEvents) => Encoder;

export const FRAMES_PER_SECOND = 25;
/** In seconds. Players start three segments behind the live edge. */
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
    // ffmpeg starts at once, without probing. Cameras change their frame size, which the filters handle.
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
