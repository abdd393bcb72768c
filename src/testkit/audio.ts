/**
 * Prompts without sound: how long each would last. Speech is estimated by its length, files are measured by their
 * header where they can be read, everything unknown lasts two seconds.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { AudioItem } from '../core/leg.ts';
import type { AudioSource } from '../telephony/audio.ts';
import { SAMPLE_RATE_HZ } from '../telephony/audio.ts';

const CHARACTERS_PER_SECOND = 14;
const UNKNOWN_MS = 2_000;
const HEADER_BYTES = 4_096;

export interface SilentAudioOptions {
  /** Durations by prompt name, in place of estimates. */
  durationsMs?: Readonly<Record<string, number>>;
}

export function silentAudio(options: SilentAudioOptions = {}): AudioSource {
  const known = new Map(Object.entries(options.durationsMs ?? {}));
  const files = new Map<string, number>();
  const durationMs = (item: AudioItem): number => {
    const given = item.name === undefined ? undefined : known.get(item.name);
    if (given !== undefined) return given;
    switch (item.type) {
      case 'speech':
        return Math.round((item.text.length / CHARACTERS_PER_SECOND / (item.rate ?? 1)) * 1000);
      case 'file': {
        const measured = files.get(item.file) ?? wavDurationMs(item.file) ?? UNKNOWN_MS;
        files.set(item.file, measured);
        return measured;
      }
      default:
        return item.durationMs;
    }
  };
  return {
    durationMs,
    load: async (item) => new Int16Array(Math.round((durationMs(item) * SAMPLE_RATE_HZ) / 1000)),
  };
}

/** How long a WAV file lasts by its header; undefined when it is none or cannot be read. */
export function wavDurationMs(file: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  let length: number;
  try {
    const handle = openSync(file, 'r');
    try {
      length = readSync(handle, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
  if (length < 12 || header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE') {
    return undefined;
  }
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= length; ) {
    const chunk = header.toString('latin1', at, at + 4);
    const size = header.readUInt32LE(at + 4);
    if (chunk === 'fmt ' && at + 20 <= length) bytesPerSecond = header.readUInt32LE(at + 16);
    if (chunk === 'data') return bytesPerSecond > 0 ? Math.round((size / bytesPerSecond) * 1000) : undefined;
    at += 8 + size + (size % 2);
  }
  return undefined;
}
