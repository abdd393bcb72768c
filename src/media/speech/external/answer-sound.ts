/**
 * Converts the response of an external engine to 8 kHz linear PCM. The format is detected from the bytes first, then
 * from the content type.
 */
import { SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import { decodeTable } from '../../toolbox/audio/g711.ts';
import type { SoundBlock } from '../../toolbox/audio/resample.ts';
import { telephoneSpeech } from '../speech-level.ts';
import { synthesisFailed } from '../synthesizer.ts';
import { monoSamples, readWavHeader } from '../wav.ts';
import type { ExternalTtsOptions } from './external-tts-options.ts';
import type { SpeechHttpResponse } from './http-exchange.ts';

const MAX_SECONDS = 120;
const ULAW = decodeTable('PCMU');

type RequestedFormat = Pick<ExternalTtsOptions, 'format' | 'sampleRateHz'>;

export function answerSound({ contentType, bytes }: SpeechHttpResponse, asked: RequestedFormat): Int16Array {
  const { samples, sampleRateHz } = read(contentType.toLowerCase(), bytes, asked);
  if (samples.length > MAX_SECONDS * sampleRateHz) throw synthesisFailed('the engine made too long a sound');
  return telephoneSpeech(samples, sampleRateHz);
}

function read(contentType: string, bytes: Uint8Array, asked: RequestedFormat): SoundBlock {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'RIFF') return wav(bytes);
  if (/^(?:application\/json|text\/)/.test(contentType)) throw synthesisFailed('the engine answered text, not sound');
  if (/^audio\/(?:basic|pcmu|x-mulaw|mulaw)\b/.test(contentType) || asked.format === 'ulaw') {
    return { samples: Float32Array.from(bytes, (byte) => ULAW[byte]!), sampleRateHz: SAMPLE_RATE_HZ };
  }
  if (asked.format === 'wav') throw synthesisFailed('the engine answered something else than WAV');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(bytes.length >> 1);
  // RFC 3551 §4.5.11 defines `audio/L16` in network byte order.
  const isLittle = !contentType.startsWith('audio/l16');
  for (let index = 0; index < samples.length; index++) samples[index] = view.getInt16(2 * index, isLittle);
  return { samples, sampleRateHz: rateIn(contentType) ?? asked.sampleRateHz };
}

function wav(bytes: Uint8Array): SoundBlock {
  const format = readWavHeader((at, length) => bytes.subarray(at, at + length), bytes.length);
  if (typeof format === 'string') throw synthesisFailed(format);
  const data = bytes.subarray(format.dataAt, format.dataAt + format.frames * format.frameBytes);
  return { samples: monoSamples(format, data), sampleRateHz: format.sampleRateHz };
}

function rateIn(contentType: string): number | undefined {
  const rate = Number(/;\s*rate=(\d{4,6})\b/.exec(contentType)?.[1]);
  return rate >= 4000 && rate <= 192_000 ? rate : undefined;
}
