/** Thread of `import-audio.ts`: one file in, one reply out. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { defined } from '../../base/core/json.ts';
import { SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import { createResampler, type SoundBlock, toInt16 } from '../toolbox/audio/resample.ts';
import { looksLikeMp3, readMp3 } from './mp3.ts';
import { joined } from './shared-sound.ts';
import { monoSamples, readWavHeader, truncationOf, type WavFormat, wavBytes } from './wav.ts';

export type ImportReply =
  | { wav: Uint8Array; durationMs: number; truncation?: string; problem?: undefined }
  | { wav?: undefined; problem: string };

const MAX_SAMPLES = 30 * 60 * SAMPLE_RATE_HZ;
const BLOCK_FRAMES = 16_384;

parentPort?.postMessage(answer(workerData));

function answer({ bytes, decoderFile }: { bytes: Uint8Array; decoderFile: string }): ImportReply {
  try {
    const format = looksLikeMp3(bytes) ? undefined : formatOf(bytes);
    const sound = narrow(format ? readWav(bytes, format) : readMp3(bytes, readFileSync(decoderFile)));
    if (sound.length === 0) return { problem: 'there is no sound in it' };
    return defined<ImportReply & { problem?: undefined }>({
      wav: wavBytes(sound, SAMPLE_RATE_HZ),
      durationMs: (sound.length * 1000) / SAMPLE_RATE_HZ,
      truncation: format && truncationOf(format),
    });
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

function formatOf(bytes: Uint8Array): WavFormat {
  const format = readWavHeader((at, length) => bytes.subarray(at, at + length), bytes.length);
  if (typeof format === 'string') throw new Error(`${format} (WAV and MP3 are taken)`);
  return format;
}

function* readWav(bytes: Uint8Array, format: WavFormat): Generator<SoundBlock> {
  const end = format.dataAt + format.frames * format.frameBytes;
  const step = BLOCK_FRAMES * format.frameBytes;
  for (let at = format.dataAt; at < end; at += step) {
    yield {
      samples: monoSamples(format, bytes.subarray(at, Math.min(at + step, end))),
      sampleRateHz: format.sampleRateHz,
    };
  }
}

function narrow(blocks: Iterable<SoundBlock>): Int16Array {
  const parts: Int16Array[] = [];
  let length = 0;
  let rateHz: number | undefined;
  let resampler = createResampler(SAMPLE_RATE_HZ);
  const keep = (samples: Float32Array) => {
    const part = toInt16(samples);
    // Without resampling, `samples` is the decoder's block; `toInt16` copies it.
    parts.push(part);
    length += part.length;
    if (length > MAX_SAMPLES) throw new Error(`it is longer than ${MAX_SAMPLES / SAMPLE_RATE_HZ / 60} minutes`);
  };
  for (const { samples, sampleRateHz } of blocks) {
    if (rateHz !== undefined && rateHz !== sampleRateHz) throw new Error('its sample rate changes on the way');
    if (rateHz === undefined) resampler = createResampler(sampleRateHz);
    rateHz = sampleRateHz;
    keep(resampler.push(samples));
  }
  keep(resampler.end());
  return joined(parts);
}
