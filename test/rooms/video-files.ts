/** Videos of the tests of ffmpeg: makes them, and reads their colours and their text. */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { TILE_COLOR } from '../../src/media/rooms/archive/name-tile.ts';

export function make(folder: string, args: string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { cwd: folder });
  expect([status, stderr.toString()]).toEqual([0, '']);
}

export const outputOf = (name: string, args: string[]): Buffer => spawnSync(name, args, { maxBuffer: 2 ** 24 }).stdout;

export const durationOf = (path: string): number =>
  Number(outputOf('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]).toString());

interface Picture {
  width: number;
  /** Red, green and blue of each pixel. */
  pixels: Buffer;
}

const pictures = new Map<string, Picture>();

/** Decoded once: tests look at many places of a picture. */
function pictureAt(path: string, second: number): Picture {
  const key = `${path} ${second}`;
  const known = pictures.get(key);
  if (known !== undefined) return known;
  const size = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'stream=width', '-of', 'csv=p=0', path];
  const format = ['-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-'];
  const pixels = outputOf('ffmpeg', ['-v', 'error', '-i', path, '-ss', String(second), ...format]);
  const picture = { width: Number.parseInt(outputOf('ffprobe', size).toString(), 10), pixels };
  pictures.clear();
  pictures.set(key, picture);
  return picture;
}

/** Colour of a place; `y` is a share of the height. */
export function colorAt(path: string, second: number, x: number, y = 0.5): string {
  const { width, pixels } = pictureAt(path, second);
  const row = Math.floor((y * pixels.length) / 3 / width);
  const at = 3 * (row * width + Math.floor(x));
  const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
  const tile = Buffer.from(TILE_COLOR, 'hex');
  if ([red, green, blue].every((each, index) => Math.abs(each - tile[index]!) < 10)) return 'tile';
  if (Math.max(red, green, blue) < 60) return 'black';
  return red > 2 * blue ? 'red' : blue > 2 * red ? 'blue' : `${red} ${green} ${blue}`;
}

/** Share of the width of one half of the video that its text occupies. */
export function textWidthAt(path: string, second: number, half: 'left' | 'right'): number {
  const crop = `crop=iw/2:ih:${half === 'left' ? '0' : 'iw/2'}:0,scale=320:180,format=gray`;
  const args = ['-v', 'error', '-i', path, '-ss', String(second), '-frames:v', '1', '-vf', crop, '-f', 'rawvideo', '-'];
  const columns = [...outputOf('ffmpeg', args)].flatMap((bright, index) => (bright > 128 ? [index % 320] : []));
  return columns.length === 0 ? 0 : (Math.max(...columns) - Math.min(...columns)) / 320;
}
