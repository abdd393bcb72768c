/**
 * Prompts as files for Asterisk: 8 kHz linear PCM, named by their content, so that a sound is written once, and an
 * existing file is complete. Private sounds get a unique name, and are deleted after the play.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import type { AudioItem } from '../../../base/core/leg.ts';
import { type AudioSource, SAMPLES_PER_MS } from '../audio.ts';

export interface SoundFile {
  /** Value for `media` of a play. */
  media: string;
  durationMs: number;
  /** Path to delete after the play. */
  file?: string;
}

export interface SoundFilesOptions {
  audio: AudioSource;
  projectOf?(legId: string): string | undefined;
  /** Directory in which this service writes. */
  directory: string;
  /** Path of the same directory for Asterisk; default: the same. */
  directoryOfAsterisk?: string | undefined;
  clock: Clock;
  ids: Ids;
}

const EXTENSION = '.sln';
const MAX_STORED_BYTES = 2 * 2 ** 30;
/** A file that was used within this time may be in use. */
const KEEP_MS = 24 * 3600 * 1000;
const MAX_KNOWN = 10_000;

export class SoundFiles {
  readonly #options: SoundFilesOptions;
  /** Existing files, and the times of their last use. */
  readonly #known = new Map<string, number>();

  constructor(options: SoundFilesOptions) {
    this.#options = options;
  }

  /** Creates the directory, and deletes files that were not used for long if their total size is large. */
  async open(): Promise<void> {
    const { directory, clock } = this.#options;
    await mkdir(directory, { recursive: true });
    const files = await Promise.all(
      (await readdir(directory)).map(async (name) => {
        const path = join(directory, name);
        const found = await stat(path).catch(() => undefined);
        return { path, name, bytes: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
      }),
    );
    const old = clock.now() - KEEP_MS;
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      const isLeftover = !/^[0-9a-f]{40}\.sln$/.test(file.name);
      if (file.usedMs > old || !(isLeftover || bytes > MAX_STORED_BYTES)) continue;
      bytes -= file.bytes;
      await rm(file.path, { force: true });
    }
  }

  /** Rejects like `AudioSource.load`. */
  async of(item: AudioItem, legId: string, signal: AbortSignal): Promise<SoundFile | undefined> {
    const pcm = await this.#options.audio.load(item, signal, this.#options.projectOf?.(legId));
    if (pcm.length === 0) return undefined;
    const isPrivate = 'private' in item && item.private === true;
    const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const name = isPrivate ? this.#options.ids.next('sound') : createHash('sha1').update(bytes).digest('hex');
    const file = join(this.#options.directory, `${name}${EXTENSION}`);
    await this.#write(name, file, bytes);
    const place = this.#options.directoryOfAsterisk ?? this.#options.directory;
    return {
      media: `sound:${join(place, name)}`,
      durationMs: Math.round(pcm.length / SAMPLES_PER_MS),
      ...(isPrivate ? { file } : {}),
    };
  }

  async forget({ file }: SoundFile): Promise<void> {
    if (file !== undefined) await rm(file, { force: true });
  }

  async #write(name: string, file: string, bytes: Uint8Array): Promise<void> {
    const now = this.#options.clock.now();
    const usedMs = this.#known.get(name);
    if (usedMs !== undefined && now - usedMs < KEEP_MS / 4) return;
    const isThere = usedMs !== undefined || (await stat(file).catch(() => undefined))?.size === bytes.length;
    if (isThere) await utimes(file, now / 1000, now / 1000).catch(() => undefined);
    else {
      const unfinished = `${file}.${this.#options.ids.next('file')}`;
      await writeFile(unfinished, bytes, { mode: 0o644 });
      await rename(unfinished, file);
    }
    this.#known.set(name, now);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
  }
}
