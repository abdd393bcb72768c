/** Names on the tiles of a live stream. ffmpeg reads the file of a tile again for each frame. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL_MARGIN, LETTER_WIDTH, labelFrom, lineOf } from '../../drawn-text.ts';
import type { Rectangle, Size } from '../../picture-grid.ts';

/** Height of the canvas, relative to the font size. */
const LINES = 36;
const LEAST_FONT_SIZE = 14;

interface TileLabelsParts {
  /** Folder and prefix of the files. */
  directory: string;
  name: string;
  canvas: Size;
  tiles: readonly Rectangle[];
}

export class TileLabels {
  readonly #parts: TileLabelsParts;
  readonly #fontSize: number;
  readonly #names: string[];
  #hasFiles = false;

  constructor(parts: TileLabelsParts) {
    this.#parts = parts;
    this.#fontSize = Math.max(LEAST_FONT_SIZE, Math.round(parts.canvas.height / LINES));
    this.#names = parts.tiles.map(() => '');
  }

  /** Sets the name on a tile; empty: none. */
  set(tile: number, name: string): void {
    this.#names[tile] = name;
    if (!this.#hasFiles) return;
    try {
      this.#write(tile);
    } catch {
      // The stream continues with the earlier name: the disk is full, or the stream is about to end.
    }
  }

  /** Creates the files, which ffmpeg needs from its start. */
  create(): void {
    this.#hasFiles = true;
    for (const tile of this.#names.keys()) this.#write(tile);
  }

  remove(): void {
    if (!this.#hasFiles) return;
    this.#hasFiles = false;
    for (const tile of this.#names.keys()) rmSync(join(this.#parts.directory, this.#fileOf(tile)), { force: true });
  }

  /** Filter that writes the name in the lower left corner of the tile. */
  filterOf(tile: number): string {
    const { x, y, height } = this.#parts.tiles[tile]!;
    return `${labelFrom(this.#fileOf(tile), this.#fontSize)}:reload=1:x=${x + LABEL_MARGIN}:y=${y + height - LABEL_MARGIN}-text_h`;
  }

  #fileOf(tile: number): string {
    return `${this.#parts.name}name${tile}`;
  }

  /** Replaces the file, so that ffmpeg never reads half of it. */
  #write(tile: number): void {
    const { directory, tiles } = this.#parts;
    const maxLetters = Math.floor((tiles[tile]!.width - 2 * LABEL_MARGIN) / (LETTER_WIDTH * this.#fontSize));
    const path = join(directory, this.#fileOf(tile));
    writeFileSync(`${path}.new`, lineOf(this.#names[tile]!, maxLetters), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}
