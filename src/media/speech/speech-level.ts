/** Normalises the loudness of speech of every voice and sentence, and removes the leading silence of engines. */
import { SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import { resample, toInt16 } from '../toolbox/audio/resample.ts';

/** Active speech level: as loud as other prompts, with headroom for the peaks of speech. */
const TARGET_DBFS = -20;
const PEAK_DBFS = -1;
const MAX_GAIN = 10;
const FRAME = SAMPLE_RATE_HZ / 50;
/** A frame counts as speech if it is at most this far below the loudest one. */
const ACTIVE_RANGE_DB = 30;
const FULL_SCALE = 32768;

/** Silence kept before the first word. */
const LEAD_MS = 60;

/** Converts synthesised speech to telephone quality: 8 kHz, normalised, without leading silence. */
export function telephoneSpeech(samples: Float32Array, sampleRateHz: number): Int16Array {
  const narrow = resample(samples, sampleRateHz);
  levelSpeech(narrow);
  return toInt16(trimLead(narrow, LEAD_MS));
}

/** Samples in the range of 16 bit, changed in place. */
export function levelSpeech(samples: Float32Array): void {
  const powers = framePowers(samples);
  const loudest = Math.max(0, ...powers);
  if (loudest < 1) return;
  const active = powers.filter((power) => power > loudest * 10 ** (-ACTIVE_RANGE_DB / 10));
  const level = Math.sqrt(active.reduce((sum, power) => sum + power, 0) / active.length);
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  const gain = Math.min(
    MAX_GAIN,
    (FULL_SCALE * 10 ** (TARGET_DBFS / 20)) / level,
    (FULL_SCALE * 10 ** (PEAK_DBFS / 20)) / peak,
  );
  for (let index = 0; index < samples.length; index++) samples[index]! *= gain;
}

/** View that starts at most `keepMs` before the speech. */
export function trimLead(samples: Float32Array, keepMs: number): Float32Array {
  const powers = framePowers(samples);
  const loudest = Math.max(0, ...powers);
  const first = powers.findIndex((power) => power > loudest * 10 ** (-ACTIVE_RANGE_DB / 10));
  return samples.subarray(Math.max(0, first * FRAME - (keepMs * SAMPLE_RATE_HZ) / 1000));
}

function framePowers(samples: Float32Array): number[] {
  const powers: number[] = [];
  for (let at = 0; at < samples.length; at += FRAME) {
    const frame = samples.subarray(at, at + FRAME);
    let sum = 0;
    for (const sample of frame) sum += sample * sample;
    powers.push(sum / frame.length);
  }
  return powers;
}
