/** Telephone line audio for tests of detectors: tones, keys, noise, pauses, and a spoken sentence. */
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { decodeTable, encodeSample } from '../../src/media/toolbox/audio/g711.ts';
import { eventOfDigit } from '../../src/media/toolbox/dtmf/dtmf-events.ts';
import { dtmfSample } from '../../src/media/toolbox/dtmf/dtmf-tone.ts';

export const pause = (ms: number): Int16Array => new Int16Array(ms * 8);

export function tone(frequenciesHz: readonly number[], ms: number, amplitude = 8000): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, index) =>
    frequenciesHz.reduce((sum, hz) => sum + amplitude * Math.sin((2 * Math.PI * hz * index) / 8000), 0),
  );
}

export const key = (digit: string, ms: number, level = 1): Int16Array =>
  Int16Array.from({ length: ms * 8 }, (_, index) => level * dtmfSample(eventOfDigit(digit)!, index));

export function join(...parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The same noise in every run. */
export function noisy(pcm: Int16Array, amplitude: number): Int16Array {
  let seed = 1;
  return pcm.map((sample) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.max(-32768, Math.min(32767, sample + ((seed >>> 8) / 2 ** 23 - 1) * amplitude));
  });
}

/** Encoded and decoded with the codec of the line. */
export function overTheLine(pcm: Int16Array): Int16Array {
  const decode = decodeTable('PCMU');
  return pcm.map((sample) => decode[encodeSample(sample, 'PCMU')]!);
}

export async function spoken(text: string, voice: 'female' | 'male' = 'female'): Promise<Int16Array> {
  const flite = createFlite();
  try {
    const request = { text, language: 'en-US', voice, rate: 1, pitch: 1 };
    const parts: Int16Array[] = [];
    for await (const part of flite.synthesize(request, new AbortController().signal)) parts.push(Int16Array.from(part));
    return join(...parts);
  } finally {
    await flite.stop();
  }
}
