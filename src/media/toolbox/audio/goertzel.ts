/** Goertzel filter: the energy of a block of telephone audio at one frequency. */
import { SAMPLE_RATE_HZ } from './sample-rate.ts';

/** 2 cos ω of a frequency. */
export const goertzelCoefficient = (frequencyHz: number): number =>
  2 * Math.cos((2 * Math.PI * frequencyHz) / SAMPLE_RATE_HZ);

/** Squared magnitude of the block's spectrum at one frequency. */
export function goertzelPower(block: ArrayLike<number>, coefficient: number): number {
  let last = 0;
  let before = 0;
  for (let index = 0; index < block.length; index++) {
    const next = block[index]! + coefficient * last - before;
    before = last;
    last = next;
  }
  return last * last + before * before - coefficient * last * before;
}
