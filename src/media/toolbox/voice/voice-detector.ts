/**
 * Detects speech: audio that is louder than the noise of the line *and* has the harmonics of a voice whose pitch is
 * stable for a moment. This excludes steady noise (no pitch) and single or dual tones such as DTMF, dial and ringing
 * tones (nothing remains without their two strongest lines).
 * Invariants
 *  - the result depends on samples only: the same audio gives the same frames, however it is divided into packets;
 *  - the first frame, silence or a hum that is present from the start, sets the noise floor, and a steady level never
 *    exceeds its own floor.
 */
import { createFourier } from './fourier.ts';

/** 16 ms at 8 kHz. */
export const FRAME_SAMPLES = 128;

interface VoiceFrame {
  /** True if this frame has the harmonics of a voice. */
  voiced: boolean;
  /** True after enough consecutive frames of voice: speech has started. */
  onset: boolean;
  /** True if voiced, or as loud as speech and close to a voiced frame (consonants). */
  active: boolean;
}

/** 50 ms: more than three periods of the lowest voice. */
const WINDOW = 400;
const SIZE = 512;
const BIN_HZ = 8000 / SIZE;
const binOf = (hertz: number): number => Math.round(hertz / BIN_HZ);
/** The part of the voice band that telephones transmit. */
const LOW_BIN = binOf(200);
const HIGH_BIN = binOf(3600);
/** Above this, the harmonics of a voice that changes its pitch overlap. */
const HIGHEST_LINE_BIN = binOf(2000);
/** Half the main lobe of the window, plus a margin. */
const LOBE_BINS = 5;
/** Tones consist of at most two frequencies (ITU-T Q.23, E.180). */
const LINES = 2;
/**
 * Fraction of the power that remains without the strongest lines: a smaller one is a tone. Companding leaves 0.0003 of
 * a tone.
 */
const TONE_REMAINDER = 0.008;
const HIGHEST_PITCH_LAG = 20;
const LOWEST_PITCH_LAG = 114;
/** Noise exceeds it occasionally, but not several times in a row. */
const PITCH_STRENGTH = 0.29;
/** Number of frames that are combined to find the pitch: a voice adds up, noise does not. */
const TOGETHER = 3;
const ONSET_FRAMES = 3;
/** At its start and end, a tone has many spectral lines for a moment: voice near a tone needs more frames. */
const TONE_COST = 2;
/** −52 dB below full scale: the echo of a prompt, or a voice at the other end of the room. */
const QUIETEST_DB = -52;
const NOISE_LOWEST_DB = -66;
const ABOVE_NOISE_DB = 5;
const CONSONANT_FRAMES = 14;
/** The floor is the lowest level of the last 1.5 s. */
const FLOOR_PARTS = 8;
const FLOOR_PART_FRAMES = 12;

const SPREAD_BINS = 14;

const SILENCE: VoiceFrame = { voiced: false, onset: false, active: false };

const hann = Float64Array.from({ length: WINDOW }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW));
/** Power of a full-scale sine in its bins, so that levels are in dB below full scale. */
const FULL_SCALE = (32_768 ** 2 / 4) * SIZE * hann.reduce((sum, weight) => sum + weight * weight, 0);

export function createVoiceDetector() {
  const fourier = createFourier(SIZE);
  const samples = new Float64Array(WINDOW);
  const real = new Float64Array(SIZE);
  const imaginary = new Float64Array(SIZE);
  const power = new Float64Array(SIZE / 2);
  const sums = new Float64Array(HIGH_BIN + 2);
  const floor = createFloor();
  const lags = Array.from({ length: TOGETHER }, () => new Float64Array(LOWEST_PITCH_LAG + 1));
  let turn = 0;
  let frames = 0;
  let streak = 0;
  let sinceVoice = Number.MAX_SAFE_INTEGER;

  const takePower = (): number => {
    real.fill(0);
    imaginary.fill(0);
    for (let index = 0; index < WINDOW; index++) real[index] = samples[index]! * hann[index]!;
    fourier.transform(real, imaginary);
    let all = 0;
    for (let bin = LOW_BIN; bin <= HIGH_BIN; bin++) {
      power[bin] = real[bin]! ** 2 + imaginary[bin]! ** 2;
      all += power[bin]!;
    }
    return all;
  };

  /** Removes the strongest line, and returns its power. */
  const takeLine = (): number => {
    let peak = LOW_BIN;
    for (let bin = LOW_BIN; bin <= HIGH_BIN; bin++) if (power[bin]! > power[peak]!) peak = bin;
    let taken = 0;
    for (let bin = Math.max(LOW_BIN, peak - LOBE_BINS); bin <= Math.min(HIGH_BIN, peak + LOBE_BINS); bin++) {
      taken += power[bin]!;
      power[bin] = 0;
    }
    return taken;
  };

  /**
   * Strength of a common pitch in this frame and the previous ones: the period of the ripples in the spectrum. Ripples
   * are the spectrum without its slow changes (formants, the frequency response of the telephone).
   */
  const pitchStrength = (): number => {
    for (let bin = LOW_BIN; bin <= HIGHEST_LINE_BIN; bin++) {
      power[bin] = Math.sqrt(power[bin]!);
      sums[bin + 1] = sums[bin]! + power[bin]!;
    }
    real.fill(0);
    imaginary.fill(0);
    let ripples = 0;
    for (let bin = LOW_BIN; bin <= HIGHEST_LINE_BIN; bin++) {
      if (power[bin] === 0) continue;
      const from = Math.max(LOW_BIN, bin - SPREAD_BINS);
      const to = Math.min(HIGHEST_LINE_BIN, bin + SPREAD_BINS) + 1;
      real[bin] = power[bin]! - (sums[to]! - sums[from]!) / (to - from);
      ripples += Math.abs(real[bin]!);
    }
    fourier.transform(real, imaginary);
    const row = lags[turn]!;
    for (let lag = HIGHEST_PITCH_LAG; lag <= LOWEST_PITCH_LAG; lag++) row[lag] = ripples > 0 ? real[lag]! / ripples : 0;
    let best = 0;
    for (let lag = HIGHEST_PITCH_LAG; lag <= LOWEST_PITCH_LAG; lag++) {
      let sum = 0;
      for (const one of lags) sum += one[lag]!;
      best = Math.max(best, sum / TOGETHER);
    }
    return best;
  };

  const isVoiced = (all: number, loud: boolean): boolean => {
    turn = (turn + 1) % TOGETHER;
    lags[turn]!.fill(0);
    if (!loud) return false;
    let rest = all;
    for (let line = 0; line < LINES; line++) rest -= takeLine();
    if (rest >= TONE_REMAINDER * all) return pitchStrength() >= PITCH_STRENGTH;
    streak = -TONE_COST;
    return false;
  };

  return {
    /** Processes the next `FRAME_SAMPLES` samples, 8 kHz linear PCM. */
    frame(pcm: Int16Array): VoiceFrame {
      samples.copyWithin(0, FRAME_SAMPLES);
      for (let index = 0; index < FRAME_SAMPLES; index++) samples[WINDOW - FRAME_SAMPLES + index] = pcm[index]!;
      // A hum in half a window is quieter than the hum itself, so the floor would be too low.
      if (++frames * FRAME_SAMPLES < WINDOW) return SILENCE;
      const all = takePower();
      const levelDb = 10 * Math.log10(all / FULL_SCALE + 1e-12);
      floor.take(levelDb);
      const loud = levelDb >= QUIETEST_DB && levelDb >= floor.db + ABOVE_NOISE_DB;
      const voiced = isVoiced(all, loud);
      streak = voiced ? streak + 1 : Math.max(Math.min(0, streak), streak - 2);
      sinceVoice = voiced ? 0 : sinceVoice + 1;
      return { voiced, onset: streak >= ONSET_FRAMES, active: voiced || (loud && sinceVoice <= CONSONANT_FRAMES) };
    },
  };
}

/** Level of the line without speech, measured in the gaps between words. */
function createFloor(): { readonly db: number; take(levelDb: number): void } {
  const parts: number[] = [];
  let part = Number.POSITIVE_INFINITY;
  let frames = 0;
  let smooth: number | undefined;
  return {
    get db() {
      return Math.max(NOISE_LOWEST_DB, Math.min(part, ...parts));
    },
    take(levelDb) {
      smooth = smooth === undefined ? levelDb : 0.6 * smooth + 0.4 * levelDb;
      part = Math.min(part, smooth);
      if (++frames < FLOOR_PART_FRAMES) return;
      parts.push(part);
      if (parts.length > FLOOR_PARTS) parts.shift();
      part = Number.POSITIVE_INFINITY;
      frames = 0;
    },
  };
}
