/** In-band form of a digit (ITU-T Q.23), for peers that did not negotiate telephone events. */
import { SAMPLE_RATE_HZ } from '../audio/sample-rate.ts';

export const ROWS_HZ = [697, 770, 852, 941];
export const COLUMNS_HZ = [1209, 1336, 1477, 1633];
/** Keys by row and column, as event codes. */
export const KEYPAD = [1, 2, 3, 12, 4, 5, 6, 13, 7, 8, 9, 14, 10, 0, 11, 15];
/** For each of both tones: −9 dBm0, a usual sending level within ITU-T Q.24. */
const AMPLITUDE = 7_000;

/** Sample number `index` of the tone for this event. */
export function dtmfSample(event: number, index: number): number {
  const key = KEYPAD.indexOf(event);
  const angle = (2 * Math.PI * index) / SAMPLE_RATE_HZ;
  const low = Math.sin(angle * ROWS_HZ[key >> 2]!);
  const high = Math.sin(angle * COLUMNS_HZ[key & 3]!);
  return Math.round(AMPLITUDE * (low + high));
}
