/**
 * Resamples any rate to 8 kHz with a windowed-sinc polyphase filter, block by block. For 16 kHz it is a half-band
 * filter (every other tap is zero and is skipped). The cut-off is the Nyquist frequency of the lower rate; with 16 zero
 * crossings on each side and a Kaiser window of beta 7, the pass band ends at 3.4 kHz and aliases are 70 dB down from
 * 4.6 kHz.
 *
 * Invariant: output sample n is the input at n / 8000 s, however the input is split into blocks.
 */
import { SAMPLE_RATE_HZ } from './sample-rate.ts';

/** Mono samples in the range of 16 bit, at one rate. */
export interface SoundBlock {
  samples: Float32Array;
  sampleRateHz: number;
}

const ZERO_CROSSINGS = 16;
const KAISER_BETA = 7;
/** Odd rates would need up to 8,000 filters. The nearest of this many has an error of -60 dB at the top of the band. */
const MAX_PHASES = 512;

export interface Resampler {
  /** Returns the output that is complete with this block. */
  push(block: Float32Array): Float32Array;
  /** Returns the rest of the output, as if silence followed. */
  end(): Float32Array;
}

interface Phase {
  offsets: Int32Array;
  taps: Float32Array;
}

export function createResampler(fromHz: number): Resampler {
  if (fromHz === SAMPLE_RATE_HZ) return { push: (block) => block, end: () => new Float32Array(0) };
  const divisor = greatestDivisor(fromHz, SAMPLE_RATE_HZ);
  const up = SAMPLE_RATE_HZ / divisor;
  const down = fromHz / divisor;
  const cutoff = 0.5 * Math.min(1, SAMPLE_RATE_HZ / fromHz);
  const halfWidth = Math.ceil(ZERO_CROSSINGS / (2 * cutoff));
  const phaseCount = Math.min(up, MAX_PHASES);
  const phases = Array.from({ length: phaseCount + 1 }, (_, index) => phaseOf(index / phaseCount, cutoff, halfWidth));

  // Input that later outputs need. `start` is the position of its first sample in the whole input.
  let kept = new Float32Array(halfWidth);
  let start = -halfWidth;
  let inputLength = 0;
  let made = 0;

  const run = (block: Float32Array, limit: number): Float32Array => {
    const window = new Float32Array(kept.length + block.length);
    window.set(kept);
    window.set(block, kept.length);
    const end = start + window.length;
    // Output n needs input up to floor(n · down / up) + halfWidth.
    const ready = Math.max(made, Math.min(limit, Math.ceil(((end - halfWidth) * up) / down)));
    const output = new Float32Array(ready - made);
    for (let index = 0; index < output.length; index++) {
      const position = (made + index) * down;
      const whole = Math.floor(position / up);
      const { offsets, taps } = phases[Math.round(((position - whole * up) / up) * phaseCount)]!;
      const base = whole - start;
      let sum = 0;
      for (let tap = 0; tap < taps.length; tap++) sum += taps[tap]! * window[base + offsets[tap]!]!;
      output[index] = sum;
    }
    made = ready;
    const needed = Math.max(0, Math.floor((made * down) / up) - halfWidth - start);
    kept = window.slice(needed);
    start += Math.min(needed, window.length);
    return output;
  };

  return {
    push(block) {
      inputLength += block.length;
      return run(block, Number.POSITIVE_INFINITY);
    },
    end: () => run(new Float32Array(halfWidth + 1), resampledLength(inputLength, fromHz)),
  };
}

/** Number of 8 kHz samples for `length` samples at `fromHz`. */
export function resampledLength(length: number, fromHz: number): number {
  return Math.ceil((length * SAMPLE_RATE_HZ) / fromHz);
}

export function resample(samples: Float32Array, fromHz: number): Float32Array {
  const resampler = createResampler(fromHz);
  const body = resampler.push(samples);
  const tail = resampler.end();
  const whole = new Float32Array(body.length + tail.length);
  whole.set(body);
  whole.set(tail, body.length);
  return whole;
}

/** Samples in the range of 16 bit, rounded and clipped. */
export function toInt16(samples: Float32Array): Int16Array {
  const rounded = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index++) {
    rounded[index] = Math.max(-32768, Math.min(32767, Math.round(samples[index]!)));
  }
  return rounded;
}

/** Filter for outputs that lie `fraction` of an input sample after an input sample. */
function phaseOf(fraction: number, cutoff: number, halfWidth: number): Phase {
  const offsets: number[] = [];
  const taps: number[] = [];
  let sum = 0;
  for (let offset = -halfWidth; offset <= halfWidth; offset++) {
    const distance = offset - fraction;
    if (Math.abs(distance) >= halfWidth) continue;
    const tap = sinc(2 * cutoff * distance) * kaiser(distance / halfWidth);
    if (Math.abs(tap) < 1e-9) continue;
    offsets.push(offset);
    taps.push(tap);
    sum += tap;
  }
  return { offsets: Int32Array.from(offsets), taps: Float32Array.from(taps, (tap) => tap / sum) };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
