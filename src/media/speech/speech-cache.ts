/**
 * Cache of synthesised speech on disk: playable WAV files named by a hash of everything that affects the sound.
 *
 * Invariants
 * - file names contain no part of the text, and only the service's user may read the files: texts may be personal data;
 * - an entry is complete or missing: it is written to a temporary file and renamed. A damaged entry counts as missing
 * and is made again;
 * - the total size stays below the limit; the least recently used files are deleted.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/core/clock.ts';
import { randomIds } from '../../base/core/ids.ts';
import { WAV_HEADER_BYTES } from '../../base/core/wav-header.ts';
import { SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import type { SpeechRequest, Synthesizer } from './synthesizer.ts';
import { monoSamples, readWavHeader, wavBytes } from './wav.ts';

export type SpeechCache = ReturnType<typeof createSpeechCache>;

/** Share of the limit that remains after a cleanup, so that not every write causes one. */
const KEPT_SHARE = 0.8;
/** An older temporary file was left by a process that died. */
const ABANDONED_MS = 3_600_000;

/** Hash of everything that affects the sound. */
export function speechKey(synthesizer: Pick<Synthesizer, 'name' | 'version'>, request: SpeechRequest): string {
  const { text, language, voice, voiceName = voice, rate, pitch } = request;
  const parts = [synthesizer.name, synthesizer.version, language, voiceName, rate, pitch, text];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function createSpeechCache(directory: string, maxBytes: number) {
  let usedBytes: number | undefined;
  let cleaning: Promise<void> | undefined;
  const fileOf = (key: string) => join(directory, `${key}.wav`);

  const clean = async (): Promise<void> => {
    const nowMs = systemClock.now();
    const entries: { file: string; bytes: number; usedMs: number }[] = [];
    for (const name of await readdir(directory)) {
      const file = join(directory, name);
      // Another process may clean the same folder.
      const stats = await stat(file).catch(() => undefined);
      if (name.endsWith('.tmp')) {
        if (stats && nowMs - stats.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
      } else if (stats && /^[0-9a-f]{64}\.wav$/.test(name)) {
        entries.push({ file, bytes: stats.size, usedMs: stats.mtimeMs });
      }
    }
    entries.sort((a, b) => a.usedMs - b.usedMs);
    let sum = entries.reduce((total, entry) => total + entry.bytes, 0);
    const limit = sum > maxBytes ? maxBytes * KEPT_SHARE : maxBytes;
    for (const entry of entries) {
      if (sum <= limit) break;
      await rm(entry.file, { force: true });
      sum -= entry.bytes;
    }
    usedBytes = sum;
  };

  return {
    async read(key: string): Promise<Int16Array | undefined> {
      const file = fileOf(key);
      const bytes = await readFile(file).catch(() => undefined);
      const sound = bytes && soundOf(bytes);
      if (!sound) return undefined;
      // The modification time records the last use, because access times are often disabled.
      const now = new Date(systemClock.now());
      await utimes(file, now, now).catch(() => {});
      return sound;
    },
    async write(key: string, sound: Int16Array): Promise<void> {
      const bytes = wavBytes(sound, SAMPLE_RATE_HZ);
      if (bytes.length > maxBytes) return;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const beside = join(directory, `${key}.${randomIds.next('file')}.tmp`);
      try {
        await writeFile(beside, bytes, { mode: 0o600 });
        await rename(beside, fileOf(key));
      } catch (error) {
        await rm(beside, { force: true });
        throw error;
      }
      if (usedBytes !== undefined) usedBytes += bytes.length;
      if (usedBytes === undefined || usedBytes > maxBytes) {
        cleaning ??= clean().finally(() => {
          cleaning = undefined;
        });
        await cleaning;
      }
    },
    /** Duration of an entry without reading it. */
    durationMs(key: string): number | undefined {
      try {
        const { size } = statSync(fileOf(key));
        return size > WAV_HEADER_BYTES ? ((size - WAV_HEADER_BYTES) / 2 / SAMPLE_RATE_HZ) * 1000 : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Audio of a file in exactly the format written here. */
function soundOf(bytes: Uint8Array): Int16Array | undefined {
  const format = readWavHeader((at, length) => bytes.subarray(at, at + length), bytes.length);
  if (typeof format === 'string') return undefined;
  const { sampleRateHz, frameBytes, dataAt, frames, missingBytes } = format;
  if (missingBytes !== undefined) return undefined;
  const ours = sampleRateHz === SAMPLE_RATE_HZ && frameBytes === 2 && dataAt === WAV_HEADER_BYTES;
  if (!ours || dataAt + frames * frameBytes !== bytes.length) return undefined;
  return Int16Array.from(monoSamples(format, bytes.subarray(dataAt)));
}
