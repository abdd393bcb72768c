/** Upsampling from 8 kHz to 16 kHz for models of wideband speech: a half-band filter (windowed sinc). */

export type Upsampler = ReturnType<typeof createUpsampler>;

const HALF_TAPS = 24;
/** Filter for the value between two samples; its halves are symmetric. */
const taps = Float64Array.from({ length: 2 * HALF_TAPS }, (_, index) => {
  const distance = index - HALF_TAPS + 0.5;
  const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / HALF_TAPS);
  return (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
});

export function createUpsampler() {
  const past = new Float64Array(2 * HALF_TAPS - 1);
  return {
    /** Returns twice as many samples, delayed by `HALF_TAPS`, in the range of 16 bit. */
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
