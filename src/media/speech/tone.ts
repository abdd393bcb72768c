/** Generates tones and silence. */
import { fault } from '../../base/core/fault.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../telephony/audio.ts';

/** Limited, because every second uses memory and the flows of applications can request it. */
const MAX_DURATION_MS = 60_000;
/** −12 dBFS, perceived about as loud as speech. */
const AMPLITUDE = 32768 / 4;
/** Fade-in and fade-out, because a tone that starts at full amplitude clicks. */
const RAMP_SAMPLES = SAMPLE_RATE_HZ / 200;
const MAX_FREQUENCY_HZ = 3900;

export function silence(durationMs: number): Int16Array {
  return new Int16Array(sampleCount(durationMs));
}

export function tone(frequencyHz: number, durationMs: number): Int16Array {
  if (!(frequencyHz > 0 && frequencyHz <= MAX_FREQUENCY_HZ)) {
    throw new AudioError(
      fault('audio_invalid', `a tone of ${frequencyHz} Hz is not between 0 and ${MAX_FREQUENCY_HZ} Hz`),
    );
  }
  const samples = new Int16Array(sampleCount(durationMs));
  const angle = (2 * Math.PI * frequencyHz) / SAMPLE_RATE_HZ;
  // Computes each sample from the previous two: computing every sine would block the event loop during a long tone.
  const factor = 2 * Math.cos(angle);
  let before = -Math.sin(angle);
  let value = 0;
  for (let index = 0; index < samples.length; index++) {
    const ramp = Math.min(1, (index + 1) / RAMP_SAMPLES, (samples.length - index) / RAMP_SAMPLES);
    samples[index] = AMPLITUDE * ramp * value;
    [before, value] = [value, factor * value - before];
  }
  return samples;
}

function sampleCount(durationMs: number): number {
  if (!(durationMs >= 0 && durationMs <= MAX_DURATION_MS)) {
    throw new AudioError(fault('audio_invalid', `${durationMs} ms is not a duration up to ${MAX_DURATION_MS} ms`));
  }
  return Math.round((durationMs * SAMPLE_RATE_HZ) / 1000);
}
