/**
 * Removes steady line noise before recognition, because small models were trained on clean speech. A Wiener filter for
 * each frame (decision-directed estimate of Ephraim and Malah). The noise estimate of a frequency is its recent
 * minimum. Part of the noise is kept, because silent gaps would be new artefacts.
 */
import { createFourier } from '../../toolbox/voice/fourier.ts';

export type NoiseFilter = ReturnType<typeof createNoiseFilter>;

const SIZE = 256;
const HOP = 128;
export const DELAY_SAMPLES = SIZE;
const BINS = SIZE / 2 + 1;
/** −14 dB. */
const KEPT = 0.2;
/** Weight of the previous frame's estimate. */
const MEMORY = 0.9;
const SMOOTHING = 0.8;
/** Corrects the bias: the minimum of several values is below their mean. */
const ABOVE_LEAST = 1.8;
/** For each frame of 16 ms: the estimate follows increasing noise within a second or two. */
const RISE = 1.01;
const TINY = 1e-9;

const window = Float64Array.from({ length: SIZE }, (_, index) => Math.sin((Math.PI * (index + 0.5)) / SIZE));
const fourier = createFourier(SIZE);

export function createNoiseFilter() {
  const input = new Float64Array(SIZE);
  const output = new Float64Array(SIZE);
  const real = new Float64Array(SIZE);
  const imaginary = new Float64Array(SIZE);
  const smooth = new Float64Array(BINS);
  const least = new Float64Array(BINS);
  const speech = new Float64Array(BINS);
  let filled = 0;
  let first = true;

  const gainOf = (bin: number): number => {
    const power = real[bin]! ** 2 + imaginary[bin]! ** 2;
    smooth[bin] = first ? power : SMOOTHING * smooth[bin]! + (1 - SMOOTHING) * power;
    least[bin] = first ? power : Math.min(least[bin]! * RISE, smooth[bin]!);
    const noise = ABOVE_LEAST * least[bin]! + TINY;
    const surplus = power / noise;
    const share = MEMORY * speech[bin]! + (1 - MEMORY) * Math.max(0, surplus - 1);
    const gain = Math.max(KEPT, share / (1 + share));
    speech[bin] = gain * gain * surplus;
    return gain;
  };

  const filter = (): void => {
    for (let index = 0; index < SIZE; index++) real[index] = input[index]! * window[index]!;
    imaginary.fill(0);
    fourier.transform(real, imaginary);
    for (let bin = 0; bin < BINS; bin++) {
      const gain = gainOf(bin);
      const mirror = (SIZE - bin) % SIZE;
      real[bin] = real[bin]! * gain;
      imaginary[bin] = imaginary[bin]! * gain;
      if (mirror === bin) continue;
      real[mirror] = real[bin]!;
      imaginary[mirror] = -imaginary[bin]!;
    }
    first = false;
    // The inverse transform is the forward transform with the conjugate input.
    for (let index = 0; index < SIZE; index++) imaginary[index] = -imaginary[index]!;
    fourier.transform(real, imaginary);
    output.copyWithin(0, HOP);
    output.fill(0, SIZE - HOP);
    for (let index = 0; index < SIZE; index++) output[index] = output[index]! + (real[index]! / SIZE) * window[index]!;
  };

  return {
    /** Returns as many samples as were given, delayed by `DELAY_SAMPLES`. */
    push(pcm: Int16Array): Int16Array {
      const filtered = new Int16Array(pcm.length);
      for (let index = 0; index < pcm.length; index++) {
        input[SIZE - HOP + filled] = pcm[index]!;
        filtered[index] = Math.max(-32_768, Math.min(32_767, Math.round(output[filled]!)));
        if (++filled < HOP) continue;
        filled = 0;
        filter();
        input.copyWithin(0, HOP);
      }
      return filtered;
    },
  };
}
