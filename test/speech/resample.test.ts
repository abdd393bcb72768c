import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResampler, resample, resampledLength, toInt16 } from '../../src/media/toolbox/audio/resample.ts';
import { amplitudeAt, decibels, rms, sine } from './sounds.ts';

/** Samples without the settling of the filter at both ends. */
const middle = (samples: Float32Array) => samples.subarray(400, samples.length - 400);
const gainAt = (frequencyHz: number, fromHz: number) =>
  decibels(amplitudeAt(frequencyHz, middle(resample(sine(frequencyHz, fromHz, 0.5), fromHz))) / 10_000);
const leakAt = (frequencyHz: number, fromHz: number) =>
  decibels(rms(middle(resample(sine(frequencyHz, fromHz, 0.5), fromHz))) / (10_000 / Math.SQRT2));

describe('resampling to 8 kHz', () => {
  it.each([16_000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000])(
    'passes the telephone band from %i Hz',
    (fromHz) => {
      for (const frequencyHz of [60, 300, 1000, 2000, 3000, 3400]) {
        expect(Math.abs(gainAt(frequencyHz, fromHz)), `${frequencyHz} Hz`).toBeLessThan(0.1);
      }
    },
  );

  it.each([16_000, 22_050, 44_100, 48_000, 96_000])('lets no alias through from %i Hz', (fromHz) => {
    for (const frequencyHz of [4700, 5000, 6000, 7000, 7900]) {
      expect(leakAt(frequencyHz, fromHz), `${frequencyHz} Hz`).toBeLessThan(-60);
    }
  });

  it('is far better than taking every second sample', () => {
    const careless = sine(5000, 16_000, 0.5).filter((_, index) => index % 2 === 0);
    expect(decibels(rms(careless) / (10_000 / Math.SQRT2))).toBeGreaterThan(-1);
    expect(leakAt(5000, 16_000)).toBeLessThan(-60);
  });

  it('raises a lower rate without images', () => {
    const raised = middle(resample(sine(1000, 6000, 0.5), 6000));
    expect(Math.abs(decibels(amplitudeAt(1000, raised) / 10_000))).toBeLessThan(0.1);
    // The image of 2500 Hz would stand at 6000 − 2500.
    const high = middle(resample(sine(2500, 6000, 0.5), 6000));
    expect(decibels(amplitudeAt(3500, high) / 10_000)).toBeLessThan(-60);
  });

  it('keeps odd rates clean, without a separate filter for each phase', () => {
    expect(Math.abs(gainAt(1000, 44_101))).toBeLessThan(0.1);
    // Whole periods only, or the measurement itself leaks.
    const odd = middle(resample(sine(1000, 44_101, 0.5), 44_101)).subarray(0, 3200);
    const pure = amplitudeAt(1000, odd) / Math.SQRT2;
    expect(decibels(Math.sqrt(Math.max(0, rms(odd) ** 2 - pure ** 2)) / pure)).toBeLessThan(-60);
  });

  it('does not shift the audio in time', () => {
    const click = new Float32Array(1600);
    click[800] = 10_000;
    const heard = resample(click, 16_000);
    expect(heard.indexOf(Math.max(...heard))).toBe(400);
  });

  it('gives the same result for any split of the input into blocks', () => {
    const input = sine(700, 44_100, 0.05);
    const whole = resample(input, 44_100);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 12 }), (cuts) => {
        const resampler = createResampler(44_100);
        const parts: number[] = [];
        let at = 0;
        for (const length of [...cuts, input.length]) {
          parts.push(...resampler.push(input.subarray(at, at + length)));
          at = Math.min(input.length, at + length);
        }
        parts.push(...resampler.end());
        expect(parts).toEqual([...whole]);
      }),
      { numRuns: 30 },
    );
  });

  it('has the announced length, for every rate and length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4000, max: 192_000 }), fc.integer({ min: 0, max: 3000 }), (fromHz, length) => {
        expect(resample(new Float32Array(length), fromHz)).toHaveLength(resampledLength(length, fromHz));
      }),
      { numRuns: 30 },
    );
  });

  it('clips instead of wrapping around', () => {
    expect([...toInt16(Float32Array.of(40_000, -40_000, 1.6, Number.NaN))]).toEqual([32_767, -32_768, 2, 0]);
  });
});
