/** Output of the encoder of live streams: the real ffmpeg, from the input of a room to segments. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Encoder, type Encoding, openFfmpeg } from '../../src/media/rooms/embedded/live-stream/encoder.ts';
import { EncoderRun, SOUNDS } from '../../src/media/rooms/embedded/live-stream/encoder-run.ts';
import { canvasOf, tilesOf } from '../../src/media/rooms/embedded/live-stream/layout.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { program } from '../programs.ts';
import { colorAt, make, textWidthAt } from './video-files.ts';

const ffmpeg = program('ffmpeg');

const CANVAS = canvasOf('HD');
/** ffmpeg drops the packets that it reads while it starts: videos are shown from their next key frame on. */
const SHOWN_S = 1.6;

/** Encoder of a layout, and the WebM stream of its sources, which are red and blue cameras of 16:9. */
function openWith(layout: Pick<Encoding, 'hasScreen'> & { places: number }, seconds: number) {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-live-'));
  const source = (color: string): string[] => [
    ...['-f', 'lavfi', '-i', `color=c=${color}:size=320x180:rate=25:duration=${seconds}`],
  ];
  const colors = Array.from({ length: layout.places }, (_, place) => ['red', 'blue'][place % 2]!);
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`];
  const maps = [...colors, 'sound'].flatMap((_, input) => ['-map', String(input)]);
  const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25', '-c:a', 'libopus'];
  make(directory, [...colors.flatMap(source), ...sound, ...maps, ...codecs, 'input.webm']);
  const segments: string[] = [];
  let ended: (why: string) => void;
  const end = new Promise<string>((resolve) => (ended = resolve));
  const encoder: Encoder = openFfmpeg(
    { directory, name: 'a-', canvas: CANVAS, tiles: tilesOf(layout, CANVAS), hasScreen: layout.hasScreen, sounds: 1 },
    { segment: (file) => void segments.push(file), ended: (why) => ended(why) },
  );
  const input = readFileSync(join(directory, 'input.webm'));
  return { directory, encoder, segments, end, input, pathOf: (file: string) => join(directory, file) };
}

describe.skipIf(ffmpeg.missing)(`the encoder of live streams${ffmpeg.why}`, () => {
  it('writes names into the corners of tiles, and changes them as the sources change', async () => {
    const { directory, encoder, segments, end, input, pathOf } = openWith({ hasScreen: false, places: 2 }, 9);
    encoder.label(0, `%{pts}:'\\"`);
    encoder.write(input.subarray(0, input.length * 0.6));
    await expect.poll(() => segments.length, { timeout: 30_000 }).toBeGreaterThan(0);
    encoder.label(1, 'Ben Okafor');
    encoder.write(input.subarray(input.length * 0.6));
    encoder.finish();
    expect(await end).toBe('it came to its end');
    const widths = (file: string) => (['left', 'right'] as const).map((half) => textWidthAt(pathOf(file), 0.5, half));
    const [literal, none] = widths(segments[0]!);
    expect(literal).toBeGreaterThan(0.05);
    expect(none).toBe(0);
    const [kept, named] = widths(segments.at(-1)!);
    expect(kept).toBe(literal);
    expect(named).toBeGreaterThan(0.1);
    expect(readdirSync(directory).filter((file) => !/\.(ts|webm)$/.test(file))).toEqual([]);
  }, 60_000);

  it('fills three quarters of the canvas with two cameras, and cuts off their sides only', async () => {
    const { encoder, segments, end, input, pathOf } = openWith({ hasScreen: false, places: 2 }, 3);
    encoder.write(input);
    encoder.finish();
    expect(await end).toBe('it came to its end');
    const rows = [0.05, 0.15, 0.5, 0.85, 0.95];
    const columns = [4, 0.5 * CANVAS.width - 16, 0.5 * CANVAS.width + 8, CANVAS.width - 16].map((x) =>
      rows.map((y) => colorAt(pathOf(segments[0]!), SHOWN_S, x, y)),
    );
    const column = (color: string): string[] => ['black', color, color, color, 'black'];
    expect(columns).toEqual(['red', 'red', 'blue', 'blue'].map(column));
  }, 60_000);

  it('fills the tile of a participant without a camera with a colour, and writes the name on it', async () => {
    const layout = { hasScreen: false, places: 1 };
    const directory = mkdtempSync(join(tmpdir(), 'callweave-live-'));
    const segments: string[] = [];
    const ended = new Promise<string>((resolve) => {
      const encoder = openFfmpeg(
        { directory, name: 'a-', canvas: CANVAS, tiles: tilesOf(layout, CANVAS), hasScreen: false, sounds: SOUNDS },
        { segment: (file) => void segments.push(file), ended: resolve },
      );
      const clock = new VirtualClock();
      const run = new EncoderRun({ layout, encoder, clock, nameOf: () => 'Ben Okafor' });
      const beganMs = clock.monotonicMs();
      for (let ms = 0; ms < 4000; ms += 200) {
        run.show([], ['ben']);
        run.write(beganMs + ms);
      }
      encoder.finish();
    });
    expect(await ended).toBe('it came to its end');
    const path = join(directory, segments[0]!);
    const corners = [4, CANVAS.width - 16].flatMap((x) => [0.05, 0.5].map((y) => colorAt(path, SHOWN_S, x, y)));
    expect(new Set(corners)).toEqual(new Set(['tile']));
    expect(textWidthAt(path, SHOWN_S, 'left')).toBeGreaterThan(0);
  }, 60_000);

  it('shows a shared screen whole and without a name', async () => {
    const { encoder, segments, end, input, pathOf } = openWith({ hasScreen: true, places: 5 }, 3);
    encoder.label(0, 'Ada');
    encoder.label(1, 'Ben');
    encoder.write(input);
    encoder.finish();
    expect(await end).toBe('it came to its end');
    const path = pathOf(segments[0]!);
    expect([textWidthAt(path, SHOWN_S, 'left'), textWidthAt(path, SHOWN_S, 'right') > 0]).toEqual([0, true]);
    expect([4, 940].map((x) => colorAt(path, SHOWN_S, x))).toEqual(['red', 'red']);
  }, 60_000);
});
