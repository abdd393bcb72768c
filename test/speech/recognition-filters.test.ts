import { describe, expect, it } from 'vitest';
import { createNoiseFilter, DELAY_SAMPLES } from '../../src/media/speech/recognition/noise-filter.ts';
import { createUpsampler } from '../../src/media/toolbox/audio/upsample.ts';
import { createFourier } from '../../src/media/toolbox/voice/fourier.ts';
import { joined, noise, quiet, sound, tones, voice } from './recognition-sounds.ts';
import { decibels, rms } from './sounds.ts';

const pieces = <T extends { length: number }>(pcm: Int16Array, length: number, push: (part: Int16Array) => T): T[] =>
  Array.from({ length: Math.ceil(pcm.length / length) }, (_, index) =>
    push(pcm.subarray(index * length, (index + 1) * length)),
  );

describe('noise filter of the line', () => {
  const line = sound(3, noise(400));

  it('lowers the level without a voice', () => {
    const filtered = createNoiseFilter().push(line);
    expect(filtered).toHaveLength(line.length);
    expect(decibels(rms(filtered.subarray(8000)) / rms(line.subarray(8000)))).toBeLessThan(-8);
  });

  it('removes the noise and keeps the voice', () => {
    const said = joined(quiet(1), voice(0.8), quiet(1.2));
    const filtered = createNoiseFilter().push(said.map((sample, index) => sample + line[index]!));
    const [from, to] = [8000 + 1600, 8000 + 6400];
    const [before, after] = [
      rms(said.subarray(from, to)),
      rms(filtered.subarray(from + DELAY_SAMPLES, to + DELAY_SAMPLES)),
    ];
    expect(Math.abs(decibels(after / before))).toBeLessThan(2);
  });

  it('leaves the voice unchanged without noise', () => {
    const said = joined(quiet(0.5), voice(0.8), quiet(0.5));
    const filtered = createNoiseFilter().push(said);
    const difference = said
      .subarray(4800, 9600)
      .map((sample, index) => sample - filtered[4800 + DELAY_SAMPLES + index]!);
    expect(decibels(rms(difference) / rms(said.subarray(4800, 9600)))).toBeLessThan(-15);
  });

  it('gives the same result for chunks of any length', () => {
    const whole = createNoiseFilter().push(line);
    const filter = createNoiseFilter();
    expect(joined(...pieces(line, 37, (part) => filter.push(part)))).toEqual(whole);
  });
});

describe('resampling from 8 to 16 kHz', () => {
  const amplitude = (frequencyHz: number, samples: Float32Array): number => {
    let [real, imaginary] = [0, 0];
    for (let index = 0; index < samples.length; index++) {
      real += samples[index]! * Math.cos((2 * Math.PI * frequencyHz * index) / 16_000);
      imaginary += samples[index]! * Math.sin((2 * Math.PI * frequencyHz * index) / 16_000);
    }
    return (2 * Math.hypot(real, imaginary)) / samples.length;
  };

  it.each([300, 1000, 3200])('keeps %i Hz, and adds no image of it', (frequencyHz) => {
    const wide = createUpsampler().push(sound(1, tones(frequencyHz)));
    expect(wide).toHaveLength(16_000);
    const middle = wide.subarray(2000, 14_000);
    expect(amplitude(frequencyHz, middle)).toBeGreaterThan(6900);
    expect(amplitude(frequencyHz, middle)).toBeLessThan(7100);
    expect(decibels(amplitude(8000 - frequencyHz, middle) / 7000)).toBeLessThan(-40);
  });

  it('gives the same result for chunks of any length', () => {
    const pcm = sound(0.5, noise(3000));
    const upsampler = createUpsampler();
    const inPieces = pieces(pcm, 53, (part) => upsampler.push(part)).flatMap((part) => [...part]);
    expect(Float32Array.from(inPieces)).toEqual(createUpsampler().push(pcm));
  });
});

it('finds the spectral lines of a sound', () => {
  const fourier = createFourier(64);
  const real = Float64Array.from({ length: 64 }, (_, index) => Math.cos((2 * Math.PI * 5 * index) / 64));
  const imaginary = new Float64Array(64);
  fourier.transform(real, imaginary);
  const lines = [...real].map((value, bin) => Math.hypot(value, imaginary[bin]!));
  expect(lines.flatMap((line, bin) => (line > 1e-9 ? [[bin, Math.round(line)]] : []))).toEqual([
    [5, 32],
    [59, 32],
  ]);
});
