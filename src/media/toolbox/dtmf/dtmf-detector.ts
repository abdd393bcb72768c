/**
 * Detects in-band DTMF (ITU-T Q.23/Q.24) from far ends that did not negotiate telephone events (RFC 4733). A fallback,
 * because detection in audio is never certain. Blocks of 12.75 ms are compared with the eight frequencies by the
 * Goertzel filter.
 * A press is reported once, when its tone ends; speech and single tones are not reported.
 */
import { goertzelCoefficient, goertzelPower } from '../audio/goertzel.ts';
import { SAMPLE_RATE_HZ } from '../audio/sample-rate.ts';
import { digitOfEvent } from './dtmf-events.ts';
import { COLUMNS_HZ, KEYPAD, ROWS_HZ } from './dtmf-tone.ts';

/** 78 Hz between the zeros of the filter: wide enough for tones that are 1.5 % off (Q.24 Table A-1). */
const BLOCK_SAMPLES = 102;
const BLOCK_MS = (1000 * BLOCK_SAMPLES) / SAMPLE_RATE_HZ;
/** Minimum share of both tones in the total energy. It is rare in speech. */
const PURITY = 0.72;
/** Minimum mean square of a block: about −36 dBm0, below the faintest tones that Q.24 requires. */
const FAINTEST = 150 * 150;
/** Maximum power ratio of the two tones: 10 dB; Q.24 requires 5 to 12. */
const MAX_TWIST = 10;
/** Minimum ratio of the strongest tone of a group to the others: 7 dB. */
const LEAST_CONTRAST = 5;
/** Q.24: a key lasts at least 40 ms, which contain three whole blocks. */
const BLOCKS_TO_BEGIN = 3;
/** 25 ms without the tone end a key; shorter gaps are noise. */
const BLOCKS_TO_END = 2;

export class DtmfDetector {
  readonly #report: (digit: string, durationMs: number) => void;
  readonly #block = new Float64Array(BLOCK_SAMPLES);
  #filled = 0;
  #candidate = -1;
  #run = 0;
  #misses = 0;
  #key = -1;
  #blocks = 0;

  constructor(report: (digit: string, durationMs: number) => void) {
    this.#report = report;
  }

  /** Processes 8 kHz samples, in chunks of any length. */
  frame(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length; index++) {
      this.#block[this.#filled++] = pcm[index]!;
      if (this.#filled < BLOCK_SAMPLES) continue;
      this.#filled = 0;
      this.#take(keyIn(this.#block));
    }
  }

  #take(key: number): void {
    if (this.#key >= 0) {
      if (key === this.#key) {
        this.#blocks += 1 + this.#misses;
        this.#misses = 0;
        return;
      }
      if (++this.#misses >= BLOCKS_TO_END) this.#finish();
    }
    this.#run = key >= 0 && key === this.#candidate ? this.#run + 1 : 1;
    this.#candidate = key;
    if (this.#key >= 0 || key < 0 || this.#run < BLOCKS_TO_BEGIN) return;
    this.#key = key;
    this.#blocks = this.#run;
    this.#misses = 0;
  }

  #finish(): void {
    if (this.#key < 0) return;
    const digit = digitOfEvent(this.#key)!;
    const durationMs = Math.round(this.#blocks * BLOCK_MS);
    this.#key = -1;
    this.#misses = 0;
    this.#report(digit, durationMs);
  }
}

/** Event code of the key in this block; −1 for none. */
function keyIn(block: Float64Array): number {
  let energy = 0;
  for (let index = 0; index < BLOCK_SAMPLES; index++) energy += block[index]! * block[index]!;
  if (energy < FAINTEST * BLOCK_SAMPLES) return -1;
  const row = strongest(block, ROWS);
  const column = strongest(block, COLUMNS);
  if (!row || !column) return -1;
  if (row.power > MAX_TWIST * column.power || column.power > MAX_TWIST * row.power) return -1;
  // For a pure tone the filter returns N/2 times its energy.
  if (row.power + column.power < (PURITY * energy * BLOCK_SAMPLES) / 2) return -1;
  return KEYPAD[row.index * 4 + column.index]!;
}

function strongest(block: Float64Array, coefficients: readonly number[]): { index: number; power: number } | undefined {
  let first = 0;
  let second = 0;
  let best = 0;
  for (let index = 0; index < coefficients.length; index++) {
    const power = goertzelPower(block, coefficients[index]!);
    if (power > first) {
      second = first;
      first = power;
      best = index;
    } else if (power > second) second = power;
  }
  return first > LEAST_CONTRAST * second ? { index: best, power: first } : undefined;
}

const ROWS = ROWS_HZ.map(goertzelCoefficient);
const COLUMNS = COLUMNS_HZ.map(goertzelCoefficient);
