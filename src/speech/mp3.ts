/**
 * MP3 → samples, by minimp3 in WebAssembly: whatever a hostile file does to the decoder stays inside its memory. ISO/IEC
 * 11172-3 §2.4.2.3 for the frame header, ID3v2.4 §3.1 for the tag before it.
 */
import type { SoundBlock } from './import-worker.ts';

/** The part of the decoder that is used. */
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
/** More blocks of five seconds than half an hour has: a decoder that does not come forward. */
const MAX_BLOCKS = 400;

export function looksLikeMp3(bytes: Uint8Array): boolean {
  const isTag = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
  return isTag || isFrame(bytes, 0);
}

/** Eleven bits of synchronisation, and nothing reserved in version, layer, bit rate and sample rate. */
function isFrame(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  const isSync = first === 0xff && (second & 0xe0) === 0xe0;
  return isSync && (second & 0x18) !== 0x08 && (second & 0x06) !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c;
}

export function* readMp3(bytes: Uint8Array, program: Uint8Array): Generator<SoundBlock> {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (program: object, imports: object) => { exports: unknown };
    };
  };
  const decoder = new WebAssembly.Instance(new WebAssembly.Module(program), {}).exports as Decoder;
  decoder.decoder_init();
  decoder.decoder_set_mp3_data_size(bytes.length);
  const input = new Uint8Array(decoder.memory.buffer, decoder.decoder_mp3_data_offset(), bytes.length);
  input.set(bytes);
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
