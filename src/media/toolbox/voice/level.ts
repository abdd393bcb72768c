/** Audio levels in dBov: decibels below a full-scale square wave (ITU-T G.100.1). Samples are 16-bit linear PCM. */

const FULL_SCALE_POWER = 32_768 ** 2;
/** Level of digital silence, instead of minus infinity. */
export const SILENCE_DB = -70;
const SILENCE_POWER = 10 ** (SILENCE_DB / 10);

/** Level of `samples` samples whose squares add up to `energy`. */
export const decibelsOf = (energy: number, samples: number): number =>
  10 * Math.log10(energy / samples / FULL_SCALE_POWER + SILENCE_POWER);

/** Sum of the squares of the samples from `start` to `end`. */
export function energyOf(pcm: Int16Array, start: number, end: number): number {
  let energy = 0;
  for (let index = start; index < end; index++) energy += pcm[index]! * pcm[index]!;
  return energy;
}

export const levelOf = (pcm: Int16Array): number => decibelsOf(energyOf(pcm, 0, pcm.length), pcm.length);
