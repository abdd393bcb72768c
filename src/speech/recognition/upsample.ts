/** 8 kHz to 16 kHz for engines whose models are wider than a telephone line: a half-band filter (windowed sinc). */

export type Upsampler = ReturnType<typeof createUpsampler>;

const HALF_TAPS = 24;
/** What stands between two samples; each half is the other's mirror. */
const taps = Float64Array.from({ length: 2 * HALF_TAPS }, (_, index) => {
  const distance = index - HALF_TAPS + 0.5;
  const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / HALF_TAPS);
  return (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
});

export function createUpsampler() {
  const past = new Float64Array(2 * HALF_TAPS - 1);
  return {
    /** Twice as many samples, delayed by `HALF_TAPS`; in the range of 16 bit. */
    push(pcm: Int16Array): Float32Array {
      const wide = new Float32Array(pcm.length * 2);
      const line = new Float64Array(past.length + pcm.length);
      line.set(past);
      line.set(pcm, past.length);
      for (let index = 0; index < pcm.length; index++) {
        let between = 0;
        for (let tap = 0; tap < taps.length; tap++) between += taps[tap]! * line[index + tap]!;
        wide[2 * index] = line[index + HALF_TAPS - 1]!;
        wide[2 * index + 1] = between;
      }
      past.set(line.subarray(pcm.length));
      return wide;
    },
  };
}
