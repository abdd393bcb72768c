/** Creation and analysis of WAV files. */
import { readFileSync, writeFileSync } from 'node:fs';
import wavefile from 'wavefile';

const { WaveFile } = wavefile;
export const RATE_HZ = 8_000;

/** Writes a tone of 8 kHz, mono, 16 bit. */
export function writeTone(file: string, frequencyHz: number, seconds: number): void {
  const wav = new WaveFile();
  wav.fromScratch(1, RATE_HZ, '16', tone(frequencyHz, seconds));
  writeFileSync(file, wav.toBuffer());
}

export const tone = (frequencyHz: number, seconds: number): Int16Array =>
  Int16Array.from({ length: RATE_HZ * seconds }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * frequencyHz * at) / RATE_HZ)),
  );

/** G.711 by another implementation than the one that is tried. */
export function toMuLaw(samples: Int16Array): Uint8Array {
  const wav = new WaveFile();
  wav.fromScratch(1, RATE_HZ, '16', samples);
  wav.toMuLaw();
  return wav.getSamples(false, Uint8Array) as unknown as Uint8Array;
}

export function fromMuLaw(bytes: Uint8Array): Float64Array {
  const wav = new WaveFile();
  wav.fromScratch(1, RATE_HZ, '8m', bytes);
  wav.fromMuLaw();
  return wav.getSamples(false) as unknown as Float64Array;
}

/** The first channel. */
export const readSamples = (file: string): Float64Array => channelsOf(readFileSync(file))[0]!;

/** Channels of a WAV file. */
export function channelsOf(bytes: Uint8Array): Float64Array[] {
  const wav = new WaveFile(bytes);
  wav.toBitDepth('16');
  const samples = wav.getSamples(false) as unknown as Float64Array | Float64Array[];
  return Array.isArray(samples) ? samples : [samples];
}

/** Share of the energy that lies at a frequency, 0 to 1, in the loudest `seconds` of the sound (Goertzel). */
export function toneShare(samples: Float64Array, frequencyHz: number, seconds = 0.5): number {
  const size = Math.min(samples.length, Math.round(RATE_HZ * seconds));
  let best = { energy: -1, share: 0 };
  for (let from = 0; from + size <= samples.length; from += size >> 1) {
    const part = samples.subarray(from, from + size);
    const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
    if (energy > best.energy) best = { energy, share: energy === 0 ? 0 : goertzel(part, frequencyHz) / energy };
  }
  return best.share;
}

/** Seconds in which a tone carries most of the energy, or more than `share` of it, counted in windows of 50 ms. */
export function secondsOfTone(samples: Float64Array, frequencyHz: number, share = 0.6): number {
  const size = RATE_HZ / 20;
  let windows = 0;
  for (let from = 0; from + size <= samples.length; from += size) {
    const part = samples.subarray(from, from + size);
    const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
    if (energy / size > 10_000 && goertzel(part, frequencyHz) / energy > share) windows++;
  }
  return windows / 20;
}

function goertzel(samples: Float64Array, frequencyHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / RATE_HZ);
  let [last, before] = [0, 0];
  for (const sample of samples) [last, before] = [sample + coefficient * last - before, last];
  return (2 * (last * last + before * before - coefficient * last * before)) / samples.length;
}

/** Only frequencies below 2 kHz are compared, for which a quarter of the samples is enough. */
const COARSE = 4;
const PIECE_S = 0.4;
const ALIKE = 0.7;

/**
 * Share (0 to 1) of the pieces of one recording that are found in another. Each piece is aligned separately, because a
 * phone may lose or stretch some milliseconds. Silent pieces are ignored.
 */
export function shareHeard(sound: ArrayLike<number>, heard: ArrayLike<number>): number {
  const [wanted, given] = [coarse(sound), coarse(heard)];
  const size = Math.round((RATE_HZ / COARSE) * PIECE_S);
  const energy = energies(given, size);
  const loudest = Math.max(...energies(wanted, size));
  const pieces: number[] = [];
  for (let from = 0; from + size <= wanted.length; from += size) {
    const piece = wanted.subarray(from, from + size);
    const own = piece.reduce((sum, sample) => sum + sample * sample, 0);
    if (own > loudest / 50) pieces.push(bestLikeness(piece, Math.sqrt(own), given, energy));
  }
  return pieces.length === 0 ? 0 : pieces.filter((likeness) => likeness > ALIKE).length / pieces.length;
}

function bestLikeness(piece: Float64Array, size: number, given: Float64Array, energy: Float64Array): number {
  let best = 0;
  for (let at = 0; at < energy.length; at++) {
    let product = 0;
    for (let index = 0; index < piece.length; index++) product += piece[index]! * given[at + index]!;
    if (energy[at]! > 0) best = Math.max(best, product / (size * Math.sqrt(energy[at]!)));
  }
  return best;
}

const coarse = (samples: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: Math.floor(samples.length / COARSE) }, (_, at) => {
    let sum = 0;
    for (let index = 0; index < COARSE; index++) sum += samples[at * COARSE + index]!;
    return sum / COARSE;
  });

/** Of each window of this size. */
function energies(samples: Float64Array, size: number): Float64Array {
  const found = new Float64Array(Math.max(0, samples.length - size + 1));
  let sum = 0;
  for (let index = 0; index < samples.length; index++) {
    sum += samples[index]! ** 2 - (index >= size ? samples[index - size]! ** 2 : 0);
    if (index >= size - 1) found[index - size + 1] = Math.max(0, sum);
  }
  return found;
}
