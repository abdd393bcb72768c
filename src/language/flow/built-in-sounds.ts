/** Sounds without a file, which are the defaults if a flow names none. */
import type { AudioItem } from '../../base/core/leg.ts';

const tone = (frequencyHz: number, durationMs: number, name: string): AudioItem => ({
  type: 'tone',
  frequencyHz,
  durationMs,
  name,
});
const silence = (durationMs: number, name: string): AudioItem => ({ type: 'silence', durationMs, name });

/** ITU-T E.180: 425 Hz, one second of tone every five seconds. */
export const RINGING: readonly AudioItem[] = [tone(425, 1000, 'ringing'), silence(4000, 'ringing')];

/** Frequency in Hz and length in beats. */
const MELODY: readonly [frequencyHz: number, beats: number][] = [
  [262, 2],
  [330, 1],
  [392, 1],
  [523, 2],
  [392, 2],
  [440, 2],
  [349, 1],
  [440, 1],
  [392, 4],
  [349, 2],
  [294, 1],
  [349, 1],
  [330, 2],
  [262, 2],
  [294, 2],
  [247, 2],
  [262, 4],
];
const BEAT_MS = 300;

export const HOLD_MUSIC: readonly AudioItem[] = [
  ...MELODY.map(([frequencyHz, beats]) => tone(frequencyHz, beats * BEAT_MS, 'hold_music')),
  silence(1200, 'hold_music'),
];
