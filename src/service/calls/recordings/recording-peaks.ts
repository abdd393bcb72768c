/**
 * Waveform of a recording, for drawing: lowest and highest sample of each interval, by channel. The file is read block
 * by block, yielding to calls between the blocks.
 */
import { open } from 'node:fs/promises';
import { WAV_HEADER_BYTES } from '../../../base/core/wav-header.ts';
import { CallError } from '../call-error.ts';
import { serialQueue } from '../serial-queue.ts';

export interface Peaks {
  /** Intervals per second. */
  perSecond: number;
  /** Minimum and maximum of each interval, -1 to 1, alternating, for each channel. */
  channels: number[][];
}

/** Samples of all channels together, a multiple of two channels. */
const BLOCK_SAMPLES = 32_768;
/** Limit of intervals: in long recordings they are longer than requested. */
const MAX_PARTS = 20_000;
const FULL_SCALE = 32_768;
const THOUSANDTHS = 1000;

export const createRecordingPeaks = () => {
  const inTurn = serialQueue();
  return (path: string, perSecond: number): Promise<Peaks> => inTurn(() => peaksOf(path, perSecond));
};

export type ReadPeaks = ReturnType<typeof createRecordingPeaks>;

/**
 * Expects a WAV as the service writes it (`base/core/wav-header.ts`). Throws `unknown_recording` if the file is gone.
 */
async function peaksOf(path: string, perSecond: number): Promise<Peaks> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new CallError('unknown_recording', 'the file of the recording is gone') : error;
  });
  try {
    const header = Buffer.alloc(WAV_HEADER_BYTES);
    await file.read(header, 0, WAV_HEADER_BYTES, 0);
    const channels = Math.max(1, header.readUInt16LE(22));
    const sampleRateHz = Math.max(1, header.readUInt32LE(24));
    const frames = Math.floor(((await file.stat()).size - WAV_HEADER_BYTES) / (2 * channels));
    const part = Math.max(1, Math.round(sampleRateHz / perSecond), Math.ceil(frames / MAX_PARTS));
    const shape = Array.from({ length: channels }, () => new Shape(part));
    const block = new Int16Array(BLOCK_SAMPLES);
    const bytes = new Uint8Array(block.buffer);
    const wholeFrames = BLOCK_SAMPLES - (BLOCK_SAMPLES % channels);
    for (let at = 0; at < frames * channels; ) {
      const wanted = Math.min(wholeFrames, frames * channels - at);
      const { bytesRead } = await file.read(bytes, 0, wanted * 2, WAV_HEADER_BYTES + at * 2);
      const read = Math.floor(bytesRead / 2 / channels) * channels;
      if (read === 0) break;
      for (let index = 0; index < read; index++) shape[index % channels]!.add(block[index]!);
      at += read;
    }
    return { perSecond: sampleRateHz / part, channels: shape.map((one) => one.end()) };
  } finally {
    await file.close();
  }
}

class Shape {
  readonly #part: number;
  readonly #peaks: number[] = [];
  #count = 0;
  #lowest = 0;
  #highest = 0;

  constructor(part: number) {
    this.#part = part;
  }

  add(sample: number): void {
    if (this.#count === 0 || sample < this.#lowest) this.#lowest = sample;
    if (this.#count === 0 || sample > this.#highest) this.#highest = sample;
    if (++this.#count === this.#part) this.#close();
  }

  end(): number[] {
    if (this.#count > 0) this.#close();
    return this.#peaks;
  }

  #close(): void {
    this.#peaks.push(scaled(this.#lowest), scaled(this.#highest));
    this.#count = 0;
  }
}

const scaled = (sample: number): number => Math.round((sample / FULL_SCALE) * THOUSANDTHS) / THOUSANDTHS;
