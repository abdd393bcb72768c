/** Background noises of telephone calls at a given level, from arithmetic and from speech: the same in every run. */
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { levelOf } from '../../src/media/toolbox/voice/level.ts';
import { randomNumbers } from '../speech/recognition-sounds.ts';
import { join } from './line-sounds.ts';

const RATE_HZ = 8000;

export const NOISES = ['white', 'pink', 'car', 'hum', 'street', 'clicks'] as const;
export type Noise = (typeof NOISES)[number];

/** Scaled to the given level in dBov. */
export function atLevel(pcm: ArrayLike<number>, dbov: number): Int16Array {
  let energy = 0;
  for (let at = 0; at < pcm.length; at++) energy += pcm[at]! ** 2;
  const gain = (32_768 * 10 ** (dbov / 20)) / Math.sqrt(energy / pcm.length);
  return Int16Array.from(pcm, (sample) => clip(sample * gain));
}

export function background(noise: Noise, seconds: number, dbov: number, seed = 7): Int16Array {
  const random = randomNumbers(seed);
  let low = 0;
  let [slow, middle, fast] = [0, 0, 0];
  const waves: Record<Noise, (at: number, white: number, pink: number) => number> = {
    white: (_, white) => white,
    pink: (_at, _white, pink) => pink,
    car: (at, white) => low * 6 + 0.05 * white + 0.02 * Math.sin(2 * Math.PI * 110 * at),
    hum: (at) => {
      let sum = 0;
      for (let line = 1; line < 20; line++) sum += Math.sin(2 * Math.PI * 50 * line * at) / line;
      return sum;
    },
    // Passing cars.
    street: (at, _, pink) =>
      pink * (0.6 + 0.4 * Math.sin(2 * Math.PI * 0.4 * at) + 0.3 * Math.sin(2 * Math.PI * 1.7 * at)),
    clicks: (at, white) => (at % 0.2 < 0.025 ? white * Math.exp(-(at % 0.2) * 200) : 0),
  };
  const made = Float64Array.from({ length: seconds * RATE_HZ }, (_, index) => {
    const white = random() - 0.5;
    low = 0.98 * low + 0.02 * white;
    slow = 0.99765 * slow + white * 0.099046;
    middle = 0.963 * middle + white * 0.2965164;
    fast = 0.57 * fast + white * 1.0526913;
    return waves[noise](index / RATE_HZ, white, slow + middle + fast + white * 0.1848);
  });
  return atLevel(made, dbov);
}

/** Eight people who talk at once, further away. */
export function voicesBehind(speech: readonly Int16Array[], seconds: number, dbov: number, seed = 7): Int16Array {
  const random = randomNumbers(seed);
  const all = new Float64Array(seconds * RATE_HZ);
  for (let person = 0; person < 8; person++) {
    let at = Math.floor(random() * RATE_HZ);
    while (at < all.length) {
      const sentence = speech[Math.floor(random() * speech.length)]!;
      for (let index = 0; index < sentence.length && at + index < all.length; index++)
        all[at + index]! += sentence[index]!;
      at += sentence.length + Math.floor(random() * 0.3 * RATE_HZ);
    }
  }
  return atLevel(all, dbov);
}

/** Without the silence around it, with its loud parts at the given level in dBov. */
export function speechAt(pcm: Int16Array, dbov: number): Int16Array {
  const levels: number[] = [];
  for (let at = 0; at + 160 <= pcm.length; at += 160) levels.push(levelOf(pcm.subarray(at, at + 160)));
  const least = Math.max(...levels) - 30;
  const first = levels.findIndex((level) => level > least);
  const last = levels.findLastIndex((level) => level > least);
  return atLevel(pcm.subarray(first * 160, (last + 1) * 160), dbov);
}

export function sum(...parts: readonly Int16Array[]): Int16Array {
  const length = Math.max(...parts.map((part) => part.length));
  return Int16Array.from({ length }, (_, at) => clip(parts.reduce((all, part) => all + (part[at] ?? 0), 0)));
}

const clip = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

const SENTENCES = [
  'I would like to book an appointment for next week.',
  'Hello, this is Martin calling about the invoice.',
  'My number is four five seven nine, two two one.',
  'Could you tell me when the office is open on Saturday?',
];

/** A few sentences of two voices at −20 dBov. Takes a while on a busy machine. */
export async function sentences(): Promise<Int16Array[]> {
  const flite = createFlite();
  const all: Int16Array[] = [];
  try {
    for (const voice of ['female', 'male'] as const) {
      for (const text of SENTENCES) {
        const request = { text, language: 'en-US', voice, rate: 1, pitch: 1 };
        const parts: Int16Array[] = [];
        for await (const part of flite.synthesize(request, new AbortController().signal)) parts.push(part.slice());
        all.push(speechAt(join(...parts), -20));
      }
    }
  } finally {
    await flite.stop();
  }
  return all;
}
