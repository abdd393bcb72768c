/**
 * Repairs a recording that a crash interrupted: its header then declares as much audio as the file has. Idempotent.
 * `wav-writer.ts` wrote the file.
 */
import { open } from 'node:fs/promises';
import { WAV_HEADER_BYTES, wavHeader } from '../../../base/core/wav-header.ts';

const BYTES_PER_SAMPLE = 2;
/** Offsets of the channel count and the sample rate in the header. */
const CHANNELS_AT = 22;
const RATE_AT = 24;
/** Limit of the format's 32-bit sizes. */
const MAX_BYTES = 2 ** 32 - 1 - WAV_HEADER_BYTES;

/**
 * Returns the duration after the repair; 0 for an empty or missing file. Rejects if the file cannot be read or written.
 */
export async function repairWav(file: string): Promise<number> {
  const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return 0;
  try {
    const header = Buffer.alloc(WAV_HEADER_BYTES);
    const { bytesRead } = await handle.read(header, 0, WAV_HEADER_BYTES, 0);
    const channels = header.readUInt16LE(CHANNELS_AT);
    const sampleRateHz = header.readUInt32LE(RATE_AT);
    const isOurs = bytesRead === WAV_HEADER_BYTES && header.toString('ascii', 0, 4) === 'RIFF' && sampleRateHz > 0;
    if (!isOurs || (channels !== 1 && channels !== 2)) return 0;
    const frameBytes = channels * BYTES_PER_SAMPLE;
    const { size } = await handle.stat();
    const frames = Math.floor(Math.min(size - WAV_HEADER_BYTES, MAX_BYTES) / frameBytes);
    const dataBytes = frames * frameBytes;
    await handle.truncate(WAV_HEADER_BYTES + dataBytes);
    await handle.write(wavHeader(dataBytes, sampleRateHz, channels), 0, WAV_HEADER_BYTES, 0);
    await handle.sync();
    return Math.round((frames * 1000) / sampleRateHz);
  } finally {
    await handle.close();
  }
}
