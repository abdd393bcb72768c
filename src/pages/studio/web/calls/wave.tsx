/** Waveform of a sound that has been fetched. */
import type { PlayedSound } from '../journal/sounds.ts';

/** Peak levels from 0 to 1, `PEAKS_PER_SECOND` for each second. */
export type LevelPeaks = readonly number[];
export const PEAKS_PER_SECOND = 25;

const HEIGHT = 24;
const BAR_EVERY = 4;

export function Wave({
  peaks,
  sound,
  pxPerMs,
}: {
  peaks: LevelPeaks | undefined;
  sound: PlayedSound;
  pxPerMs: number;
}) {
  if (peaks === undefined || peaks.length === 0) return null;
  const lengthMs = (sound.toMs ?? sound.fromMs) - sound.fromMs;
  const count = Math.max(1, Math.min(2000, Math.floor((lengthMs * pxPerMs) / BAR_EVERY)));
  const path = Array.from({ length: count }, (_, index) => {
    const second = (((index + 0.5) / count) * lengthMs) / 1000;
    const place = Math.floor(second * PEAKS_PER_SECOND);
    const loud = peaks[sound.repeats ? place % peaks.length : place] ?? 0;
    const half = Math.max(0.75, (loud * HEIGHT) / 2);
    return `M${index * BAR_EVERY + 1.5} ${HEIGHT / 2 - half}v${half * 2}`;
  }).join('');
  return (
    <svg class="wave" width={count * BAR_EVERY} height={HEIGHT} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Peak level of each part of a sound. */
export function peaksIn(samples: Float32Array, sampleRateHz: number): number[] {
  const size = Math.max(1, Math.floor(sampleRateHz / PEAKS_PER_SECOND));
  const peaks: number[] = [];
  for (let from = 0; from < samples.length; from += size) {
    let most = 0;
    for (let at = from; at < Math.min(samples.length, from + size); at += 4)
      most = Math.max(most, Math.abs(samples[at]!));
    peaks.push(Math.min(1, most * 1.4));
  }
  return peaks;
}
