/**
 * Discrete Fourier transform of one fixed size, in place and without allocations, because voice detection runs it 60
 * times a second.
 */

/** `size` must be a power of two. */
export function createFourier(size: number) {
  const half = size / 2;
  const cosines = Float64Array.from({ length: half }, (_, index) => Math.cos((2 * Math.PI * index) / size));
  const sines = Float64Array.from({ length: half }, (_, index) => Math.sin((2 * Math.PI * index) / size));
  const bits = Math.log2(size);
  const mirrored = Uint16Array.from({ length: size }, (_, index) => {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) reversed |= ((index >> bit) & 1) << (bits - 1 - bit);
    return reversed;
  });

  const shuffle = (values: Float64Array): void => {
    for (let index = 0; index < size; index++) {
      const other = mirrored[index]!;
      if (other <= index) continue;
      const kept = values[index]!;
      values[index] = values[other]!;
      values[other] = kept;
    }
  };

  return {
    size,
    /** Transforms `real` + i·`imaginary`, both of length `size`, in place. */
    transform(real: Float64Array, imaginary: Float64Array): void {
      shuffle(real);
      shuffle(imaginary);
      for (let span = 1; span < size; span *= 2) {
        const stride = half / span;
        for (let start = 0; start < size; start += 2 * span) {
          for (let offset = 0; offset < span; offset++) {
            const upper = start + offset;
            const lower = upper + span;
            const cosine = cosines[offset * stride]!;
            const sine = sines[offset * stride]!;
            const re = real[lower]! * cosine + imaginary[lower]! * sine;
            const im = imaginary[lower]! * cosine - real[lower]! * sine;
            real[lower] = real[upper]! - re;
            imaginary[lower] = imaginary[upper]! - im;
            real[upper] = real[upper]! + re;
            imaginary[upper] = imaginary[upper]! + im;
          }
        }
      }
    },
  };
}
