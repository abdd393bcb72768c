/**
 * Reads and writes WAV: format (RIFF/WAVE, Multimedia Programming Interface 1.0 §3; WAVE_FORMAT_EXTENSIBLE), samples,
 * and the plain form for writing. Files are untrusted: the header is read in small, bounded parts, and the size of the
 * file has priority over the sizes in it: the existing sound of a truncated file is read.
 */
import { WAV_HEADER_BYTES, wavHeader } from '../../base/core/wav-header.ts';
import { decodeTable } from '../toolbox/audio/g711.ts';

export interface WavFormat {
  sampleRateHz: number;
  channels: number;
  frameBytes: number;
  /** Value of one sample in the range of 16 bit. */
  sampleAt(view: DataView, offset: number): number;
  /** Offset of the samples in the file. */
  dataAt: number;
  frames: number;
  /** Sound that a truncated file lacks, in bytes. Absent for a complete file. */
  missingBytes?: number;
}

/** Reads `bytes` from `at`; fewer at the end of the file. */
export type ReadAt = (at: number, bytes: number) => Uint8Array;

const MIN_RATE_HZ = 4000;
const MAX_RATE_HZ = 192_000;
const MAX_CHANNELS = 8;
/** Real files have a few chunks; more would only cost time. */
const MAX_CHUNKS = 64;
/** Writers that cannot seek back leave one of these sizes: the data extends to the end of the file. */
const isUnknownSize = (size: number): boolean => size === 0 || size >= 0x7fffff00;

/** Returns the format, or a description of the problem. */
export function readWavHeader(look: ReadAt, fileBytes: number): WavFormat | string {
  const riff = viewOf(look(0, 12));
  if (riff.byteLength < 12) return 'the file is too short for a WAV header';
  if (tagAt(riff, 0) !== 'RIFF' || tagAt(riff, 8) !== 'WAVE') return 'the file is not RIFF/WAVE';
  let format: SampleFormat | undefined;
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = viewOf(look(at, 8));
    if (head.byteLength < 8) return format ? 'there is no data chunk' : 'there is no format chunk';
    const tag = tagAt(head, 0);
    const size = head.getUint32(4, true);
    if (tag === 'fmt ') {
      const read = readFormat(viewOf(look(at + 8, Math.min(size, 40))));
      if (typeof read === 'string') return read;
      format = read;
    } else if (tag === 'data') {
      if (!format) return 'the data chunk comes before the format chunk';
      const dataAt = at + 8;
      const present = Math.max(0, fileBytes - dataAt);
      const missingBytes = isUnknownSize(size) ? 0 : Math.max(0, size - present);
      const soundBytes = isUnknownSize(size) ? present : Math.min(size, present);
      const frames = Math.floor(soundBytes / format.frameBytes);
      if (frames === 0) return 'there is no sound in the data chunk';
      return { ...format, dataAt, frames, ...(missingBytes > 0 && { missingBytes }) };
    }
    // Chunks are padded to an even length.
    at += 8 + size + (size & 1);
  }
  return `there is no sound within the first ${MAX_CHUNKS} chunks`;
}

/** Describes what a truncated file lacks. Undefined for a complete file. */
export const truncationOf = ({ frames, frameBytes, missingBytes }: WavFormat): string | undefined =>
  missingBytes === undefined
    ? undefined
    : `it has ${frames * frameBytes} of ${frames * frameBytes + missingBytes} bytes of sound, and ends early`;

type SampleFormat = Omit<WavFormat, 'dataAt' | 'frames' | 'missingBytes'>;

function readFormat(view: DataView): SampleFormat | string {
  if (view.byteLength < 16) return 'the format chunk is too short';
  let coding = view.getUint16(0, true);
  const channels = view.getUint16(2, true);
  const sampleRateHz = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  const bits = view.getUint16(14, true);
  // WAVE_FORMAT_EXTENSIBLE: the coding is the first word of the sub-format.
  if (coding === 0xfffe) coding = view.byteLength >= 26 ? view.getUint16(24, true) : 0;
  const sampleAt = SAMPLE_READERS[`${coding}/${bits}`];
  if (!sampleAt) return `the coding ${coding} with ${bits} bits is not supported (PCM, float, µ-law and A-law are)`;
  if (channels < 1 || channels > MAX_CHANNELS)
    return `${channels} channels are not supported (1 to ${MAX_CHANNELS} are)`;
  if (sampleRateHz < MIN_RATE_HZ || sampleRateHz > MAX_RATE_HZ)
    return `a sample rate of ${sampleRateHz} Hz is not supported (${MIN_RATE_HZ} to ${MAX_RATE_HZ} Hz are)`;
  if (frameBytes !== (channels * bits) / 8) return `${frameBytes} bytes do not hold ${channels} × ${bits} bits`;
  return { sampleRateHz, channels, frameBytes, sampleAt };
}

const ULAW = decodeTable('PCMU');
const ALAW = decodeTable('PCMA');
const fromFloat = (value: number): number => (Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) * 32767 : 0);

/** By `coding/bits`. 8-bit PCM is unsigned, all wider PCM is signed. */
const SAMPLE_READERS: Readonly<Record<string, WavFormat['sampleAt']>> = {
  '1/8': (view, at) => (view.getUint8(at) - 128) * 256,
  '1/16': (view, at) => view.getInt16(at, true),
  '1/24': (view, at) => view.getInt16(at + 1, true) + view.getUint8(at) / 256,
  '1/32': (view, at) => view.getInt32(at, true) / 65536,
  '3/32': (view, at) => fromFloat(view.getFloat32(at, true)),
  '3/64': (view, at) => fromFloat(view.getFloat64(at, true)),
  '6/8': (view, at) => ALAW[view.getUint8(at)]!,
  '7/8': (view, at) => ULAW[view.getUint8(at)]!,
};

/** Headerless G.711: 8 kHz, mono. */
export function g711Format(law: 'ulaw' | 'alaw', fileBytes: number): WavFormat | string {
  const sampleAt = SAMPLE_READERS[law === 'ulaw' ? '7/8' : '6/8']!;
  if (fileBytes === 0) return 'the file is empty';
  return { sampleRateHz: 8000, channels: 1, frameBytes: 1, sampleAt, dataAt: 0, frames: fileBytes };
}

/** Converts complete frames to mono, as the mean of their channels. */
export function monoSamples(format: WavFormat, block: Uint8Array): Float32Array {
  const view = viewOf(block);
  const sampleBytes = format.frameBytes / format.channels;
  const samples = new Float32Array(Math.floor(block.length / format.frameBytes));
  for (let frame = 0; frame < samples.length; frame++) {
    let sum = 0;
    for (let channel = 0; channel < format.channels; channel++) {
      sum += format.sampleAt(view, frame * format.frameBytes + channel * sampleBytes);
    }
    samples[frame] = sum / format.channels;
  }
  return samples;
}

/** A WAV file of 16 bit, mono. */
export function wavBytes(samples: Int16Array, sampleRateHz: number): Uint8Array {
  const bytes = new Uint8Array(WAV_HEADER_BYTES + samples.length * 2);
  const view = viewOf(bytes);
  bytes.set(wavHeader(samples.length * 2, sampleRateHz));
  for (let index = 0; index < samples.length; index++) {
    view.setInt16(WAV_HEADER_BYTES + 2 * index, samples[index]!, true);
  }
  return bytes;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function tagAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}
