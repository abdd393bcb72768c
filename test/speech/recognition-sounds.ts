/** Synthetic sounds of telephone lines: a voice, tones, noise. 8 kHz linear PCM. */

const RATE_HZ = 8000;

export type Wave = (seconds: number) => number;

export function sound(seconds: number, wave: Wave): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * RATE_HZ) }, (_, index) => {
    return Math.max(-32_768, Math.min(32_767, wave(index / RATE_HZ)));
  });
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const quiet = (seconds: number): Int16Array => sound(seconds, () => 0);

/** Sines of these frequencies, each at telephone level. */
export const tones =
  (...frequencies: readonly number[]): Wave =>
  (seconds) =>
    frequencies.reduce((sum, frequency) => sum + 7000 * Math.sin(2 * Math.PI * frequency * seconds), 0);

export const cadence =
  (wave: Wave, ...lengths: readonly number[]): Wave =>
  (seconds) => {
    let within = seconds % lengths.reduce((sum, length) => sum + length, 0);
    for (const [index, length] of lengths.entries()) {
      if (within < length) return index % 2 === 0 ? wave(seconds) : 0;
      within -= length;
    }
    return 0;
  };

/** A random number generator whose only state is its seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** `colour` 0: white; nearer to 1: deeper. */
export function noise(level: number, colour = 0, seed = 1): Wave {
  const random = randomNumbers(seed);
  let last = 0;
  return () => {
    const gauss = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    last = colour * last + Math.sqrt(1 - colour * colour) * gauss;
    return level * last;
  };
}

/** A spoken "ah": harmonics of a gliding pitch, through formants. */
export function voice(seconds: number, pitchHz = 120, level = 4000): Int16Array {
  const formants = [
    [700, 1],
    [1220, 0.5],
    [2600, 0.2],
  ] as const;
  const strength = (frequency: number): number =>
    formants.reduce((sum, [at, gain]) => sum + gain / (1 + ((frequency - at) / 120) ** 2), 0.02);
  let phase = 0;
  return sound(seconds, (at) => {
    const pitch = pitchHz * (1 + 0.06 * Math.sin(2 * Math.PI * 2.5 * at));
    phase += (2 * Math.PI * pitch) / RATE_HZ;
    let sum = 0;
    for (let line = 1; line * pitch < 3500; line++) sum += strength(line * pitch) * Math.sin(line * phase);
    const edge = Math.min(1, at / 0.02, (seconds - at) / 0.02);
    return level * edge * sum;
  });
}
