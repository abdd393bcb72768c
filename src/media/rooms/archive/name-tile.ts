/**
 * Tiles with the names of participants without video, as inputs of an ffmpeg filter graph, and names on the videos of
 * the others. Names are untrusted: they are in files of their own, which ffmpeg renders literally, and never in the
 * graph. If ffmpeg cannot draw text, or finds no font, tiles are plain and videos have no names.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CANVAS, type Shown, seconds, TILES_PER_SECOND } from './layout.ts';
import type { PlacedPerson } from './placed.ts';

export const TILE_COLOR = '1f3a5f';

/** Maximum characters that fit into one line. */
const MAX_LETTERS = 60;
const FONT_SIZE = { label: 20, least: 24, most: 96 } as const;
/** Approximate width of a character, relative to the font size. */
const LETTER_WIDTH = 0.65;
const LINE_WIDTH = 0.9 * CANVAS.width;

export interface TileParts {
  run(args: readonly string[]): Promise<unknown>;
  totalMs: number;
  folder: string;
  /** Returns the name of the file with the name of a participant. */
  nameFile(index: number): string;
}

export async function withTiles(people: readonly PlacedPerson[], parts: TileParts): Promise<Shown[]> {
  const { run, totalMs, folder, nameFile } = parts;
  const lines = people.map(({ hasTile, name = '' }) => (hasTile ? lineOf(name) : ''));
  const canWrite = lines.some((line) => line !== '') && (await canDrawText(run));
  const shown: Shown[] = [];
  for (const [index, { hasTile, ...person }] of people.entries()) {
    const line = canWrite ? lines[index]! : '';
    if (line !== '') await writeFile(join(folder, nameFile(index)), line, { mode: 0o600 });
    const tile = `${plainTile(totalMs)}${line === '' ? '' : `,${drawn(line, nameFile(index))}`}`;
    const label = line === '' ? {} : { label: labelled(nameFile(index)) };
    shown.push(hasTile ? { ...person, tile, ...label } : person);
  }
  return shown;
}

/** Text of a tile; empty if there is none. */
function lineOf(name: string): string {
  const letters = [...name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()];
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS - 1).join('')}…` : letters.join('');
}

const canDrawText = (run: TileParts['run']): Promise<boolean> =>
  run(['-f', 'lavfi', '-i', 'color=s=64x64:d=0.1,drawtext=text=a', '-f', 'null', '-']).then(
    () => true,
    () => false,
  );

const plainTile = (totalMs: number): string =>
  `color=c=0x${TILE_COLOR}:s=${CANVAS.width}x${CANVAS.height}:r=${TILES_PER_SECOND}:d=${seconds(totalMs)}`;

const labelled = (file: string): string =>
  `drawtext=textfile=${file}:expansion=none:fontcolor=white:fontsize=${FONT_SIZE.label}:box=1:boxcolor=black@0.5:boxborderw=6`;

function drawn(line: string, file: string): string {
  const fitting = Math.floor(LINE_WIDTH / (LETTER_WIDTH * [...line].length));
  const size = Math.min(FONT_SIZE.most, Math.max(FONT_SIZE.least, fitting));
  const place = 'x=(w-text_w)/2:y=(h-text_h)/2';
  return `drawtext=textfile=${file}:expansion=none:fontcolor=white:fontsize=${size}:${place}`;
}
