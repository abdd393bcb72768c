/**
 * Reads prompt files as 8 kHz mono. Files are decoded block by block: memory contains the result and one block,
 * whatever the header claims, and the event loop runs between blocks.
 *
 * Faults: `audio_not_found`, `audio_unreadable` (not a file, no permission), `audio_malformed` (with the reason).
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fault } from '../../base/core/fault.ts';
import { defined } from '../../base/core/json.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import { createResampler, resampledLength, toInt16 } from '../toolbox/audio/resample.ts';
import { g711Format, monoSamples, type ReadAt, readWavHeader, truncationOf, type WavFormat } from './wav.ts';

export const MAX_FILE_BYTES = 50 * 2 ** 20;
const MAX_DURATION_MS = 30 * 60_000;

const BLOCK_FRAMES = 16_384;
const RAW_LAWS: Readonly<Record<string, 'ulaw' | 'alaw'>> = {
  '.ulaw': 'ulaw',
  '.ul': 'ulaw',
  '.pcmu': 'ulaw',
  '.alaw': 'alaw',
  '.al': 'alaw',
  '.pcma': 'alaw',
};
/** `O_NONBLOCK`, so that opening a named pipe does not wait for a writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

export async function readAudioFile(file: string, signal: AbortSignal): Promise<Int16Array> {
  signal.throwIfAborted();
  const handle = await open(file, OPEN_FLAGS).catch((error) => {
    throw openError(file, error as NodeJS.ErrnoException);
  });
  try {
    const format = formatOf(file, handle.fd);
    const samples = new Int16Array(resampledLength(format.frames, format.sampleRateHz));
    const resampler = createResampler(format.sampleRateHz);
    let made = 0;
    const keep = (block: Float32Array) => {
      samples.set(toInt16(block).subarray(0, samples.length - made), made);
      made = Math.min(samples.length, made + block.length);
    };
    const block = new Uint8Array(BLOCK_FRAMES * format.frameBytes);
    for (let frame = 0; frame < format.frames; frame += BLOCK_FRAMES) {
      signal.throwIfAborted();
      const bytes = Math.min(BLOCK_FRAMES, format.frames - frame) * format.frameBytes;
      const { bytesRead } = await handle.read(block, 0, bytes, format.dataAt + frame * format.frameBytes);
      if (bytesRead < bytes) throw malformed(file, 'the file became shorter while it was read');
      keep(resampler.push(monoSamples(format, block.subarray(0, bytes))));
    }
    keep(resampler.end());
    return samples;
  } finally {
    await handle.close();
  }
}

export interface ProbedAudioFile {
  version: string;
  durationMs: number;
  /** Describes what a truncated file lacks. Absent for a complete file. */
  truncation?: string;
}

/** Reads the header of a file's current content. Throws like `readAudioFile`. */
export function probeAudioFile(file: string): ProbedAudioFile {
  let fd: number;
  try {
    fd = openSync(file, OPEN_FLAGS);
  } catch (error) {
    throw openError(file, error as NodeJS.ErrnoException);
  }
  try {
    const format = formatOf(file, fd);
    return defined<ProbedAudioFile>({
      version: versionOf(fstatSync(fd)),
      durationMs: durationOf(format),
      truncation: truncationOf(format),
    });
  } finally {
    closeSync(fd);
  }
}

/** Changes when the file changes. Undefined if the file does not exist. Much cheaper than a probe. */
export function audioFileVersion(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && versionOf(stats);
}

const versionOf = (stats: Stats): string => `${stats.ino}-${stats.size}-${stats.mtimeMs}`;

function formatOf(file: string, fd: number): WavFormat {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw unreadable(file, 'it is not a regular file');
  if (stats.size > MAX_FILE_BYTES) throw malformed(file, `${stats.size} bytes are more than ${MAX_FILE_BYTES}`);
  const law = RAW_LAWS[extname(file).toLowerCase()];
  const look: ReadAt = (at, bytes) => {
    const buffer = new Uint8Array(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, at));
  };
  const format = law ? g711Format(law, stats.size) : readWavHeader(look, stats.size);
  if (typeof format === 'string') throw malformed(file, format);
  if (durationOf(format) > MAX_DURATION_MS)
    throw malformed(file, `it is longer than ${MAX_DURATION_MS / 60_000} minutes`);
  return format;
}

const durationOf = (format: WavFormat): number =>
  (resampledLength(format.frames, format.sampleRateHz) * 1000) / SAMPLE_RATE_HZ;

function openError(file: string, error: NodeJS.ErrnoException): AudioError {
  const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  if (missing) return new AudioError(fault('audio_not_found', `there is no audio file ${basename(file)}`));
  return unreadable(file, error.code ?? error.message);
}

const unreadable = (file: string, why: string): AudioError =>
  new AudioError(fault('audio_unreadable', `the audio file ${basename(file)} cannot be read: ${why}`));

const malformed = (file: string, why: string): AudioError =>
  new AudioError(fault('audio_malformed', `the audio file ${basename(file)} is malformed: ${why}`));
