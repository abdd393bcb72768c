/**
 * Tiles with the names of participants without video, as inputs of an ffmpeg filter graph, and names on the videos of
 * the others. If ffmpeg cannot draw text, or finds no font, tiles are plain and videos have no names.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canDrawText, LETTER_WIDTH, labelFrom, lineOf, textFrom } from '../drawn-text.ts';
import { CANVAS, type Shown, seconds, TILES_PER_SECOND } from './layout.ts';
import type { PlacedPerson } from './placed.ts';

export const TILE_COLOR = '1f3a5f';

/** Maximum characters that fit into one line. */
const MAX_LETTERS = 60;
const FONT_SIZE = { label: 20, least: 24, most: 96 } as const;
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
  const lines = people.map(({ hasTile, name = '' }) => (hasTile ? lineOf(name, MAX_LETTERS) : ''));
  const canWrite = lines.some((line) => line !== '') && (await canDrawText(run));
  const shown: Shown[] = [];
  for (const [index, { hasTile, ...person }] of people.entries()) {
    const line = canWrite ? lines[index]! : '';
    if (line !== '') await writeFile(join(folder, nameFile(index)), line, { mode: 0o600 });
    const tile = `${plainTile(totalMs)}${line === '' ? '' : `,${drawn(line, nameFile(index))}`}`;
    const label = line === '' ? {} : { label: labelFrom(nameFile(index), FONT_SIZE.label) };
    shown.push(hasTile ? { ...person, tile, ...label } : person);
  }
  return shown;
}

const plainTile = (totalMs: number): string =>
  `color=c=0x${TILE_COLOR}:s=${CANVAS.width}x${CANVAS.height}:r=${TILES_PER_SECOND}:d=${seconds(totalMs)}`;

function drawn(line: string, file: string): string {
  const fitting = Math.floor(LINE_WIDTH / (LETTER_WIDTH * [...line].length));
  const size = Math.min(FONT_SIZE.most, Math.max(FONT_SIZE.least, fitting));
  const place = 'x=(w-text_w)/2:y=(h-text_h)/2';
  return `${textFrom(file, size)}:${place}`;
}
