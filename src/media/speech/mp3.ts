/**
 * Decodes MP3 with minimp3 in WebAssembly, so that a malicious file can only affect the decoder's memory. The decoder
 * only gets complete frames, because data between frames can keep it searching forever. Frame header: ISO/IEC 11172-3
 * §2.4.2.3 and 13818-3 §2.4.2.3; leading tag: ID3v2.4 §3.1.
 */
import type { SoundBlock } from '../toolbox/audio/resample.ts';

/** The part of the decoder in use. */
interface Decoder {
  readonly memory: { readonly buffer: ArrayBuffer };
  decoder_init(): void;
  decoder_set_mp3_data_size(bytes: number): void;
  decoder_mp3_data_offset(): number;
  decoder_mp3_data_size(): number;
  decoder_decode(seconds: number): void;
  decoder_pcm_data_offset(): number;
  decoder_pcm_data_size(): number;
  decode_results_sampling_rate(): number;
  decode_results_num_channels(): number;
  decode_results_num_samples(): number;
}

const BLOCK_SECONDS = 5;
/** More blocks of five seconds than half an hour has: the decoder makes no progress. */
const MAX_BLOCKS = 400;

/** By the two version bits: MPEG 2.5, (reserved), 2, 1. */
const SAMPLE_RATES_HZ: readonly (readonly number[])[] = [
  [11_025, 12_000, 8000],
  [],
  [22_050, 24_000, 16_000],
  [44_100, 48_000, 32_000],
];
const MPEG_1 = 3;
const LAYER_3 = 1;
const KILOBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

export function looksLikeMp3(bytes: Uint8Array): boolean {
  const isTag = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
  return isTag || frameAt(bytes, 0) !== undefined;
}

/** Size and sample rate of the frame at an offset. Undefined for frames of free bit rate, which are not in use. */
function frameAt(bytes: Uint8Array, at: number): { bytes: number; sampleRateHz: number } | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0 || ((kind >> 1) & 3) !== LAYER_3) return undefined;
  const version = (kind >> 3) & 3;
  const sampleRateHz = SAMPLE_RATES_HZ[version]![(rates >> 2) & 3];
  const kilobits = (version === MPEG_1 ? KILOBITS_1 : KILOBITS_2)[rates >> 4];
  if (sampleRateHz === undefined || !kilobits) return undefined;
  const samples = version === MPEG_1 ? 1152 : 576;
  return { bytes: Math.floor((samples * 125 * kilobits) / sampleRateHz) + ((rates >> 1) & 1), sampleRateHz };
}

/** Only the frames: each complete, with the rate of the first, and followed by another frame, the end or a tag. */
function framesOf(bytes: Uint8Array): Uint8Array {
  const frames = new Uint8Array(bytes.length);
  let length = 0;
  let rateHz: number | undefined;
  for (let at = 0; at + 4 <= bytes.length; ) {
    const frame = frameAt(bytes, at);
    const end = at + (frame?.bytes ?? 0);
    const isOne =
      frame !== undefined &&
      end <= bytes.length &&
      (rateHz ?? frame.sampleRateHz) === frame.sampleRateHz &&
      (end + 4 > bytes.length || isTagAt(bytes, end) || frameAt(bytes, end) !== undefined);
    if (isOne) {
      rateHz = frame.sampleRateHz;
      frames.set(bytes.subarray(at, end), length);
      length += frame.bytes;
      at = end;
    } else at++;
  }
  return frames.subarray(0, length);
}

/** ID3v1 tag at the end of the file. */
const isTagAt = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0x54 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x47;

export function* readMp3(bytes: Uint8Array, program: Uint8Array): Generator<SoundBlock> {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (program: object, imports: object) => { exports: unknown };
    };
  };
  const frames = framesOf(bytes);
  if (frames.length === 0) throw new Error('there is no sound in this MP3');
  const decoder = new WebAssembly.Instance(new WebAssembly.Module(program), {}).exports as Decoder;
  decoder.decoder_init();
  decoder.decoder_set_mp3_data_size(frames.length);
  const input = new Uint8Array(decoder.memory.buffer, decoder.decoder_mp3_data_offset(), frames.length);
  input.set(frames);
  for (let block = 0; block < MAX_BLOCKS; block++) {
    decoder.decoder_decode(BLOCK_SECONDS);
    const channels = decoder.decode_results_num_channels();
    const sampleRateHz = decoder.decode_results_sampling_rate();
    const count = decoder.decoder_pcm_data_size() >> 1;
    if (count === 0) return;
    if (channels < 1 || channels > 2 || sampleRateHz < 8000 || sampleRateHz > 48_000) {
      throw new Error(`${channels} channels at ${sampleRateHz} Hz are not supported`);
    }
    const pcm = new Int16Array(decoder.memory.buffer, decoder.decoder_pcm_data_offset(), count);
    yield { samples: mixed(pcm, channels), sampleRateHz };
  }
}

function mixed(pcm: Int16Array, channels: number): Float32Array {
  const samples = new Float32Array(Math.floor(pcm.length / channels));
  for (let frame = 0; frame < samples.length; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += pcm[frame * channels + channel]!;
    samples[frame] = sum / channels;
  }
  return samples;
}
