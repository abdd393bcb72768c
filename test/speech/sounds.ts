/** Audio and measurements for the tests of speech. */

export function sine(frequencyHz: number, sampleRateHz: number, seconds: number, amplitude = 10_000): Float32Array {
  const samples = new Float32Array(Math.round(sampleRateHz * seconds));
  for (let index = 0; index < samples.length; index++) {
    samples[index] = amplitude * Math.sin((2 * Math.PI * frequencyHz * index) / sampleRateHz);
  }
  return samples;
}

export function rms(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < samples.length; index++) sum += samples[index]! ** 2;
  return Math.sqrt(sum / samples.length);
}

export const decibels = (ratio: number): number => 20 * Math.log10(ratio);

/** Amplitude of one frequency in `samples` (8 kHz). */
export function amplitudeAt(frequencyHz: number, samples: ArrayLike<number>): number {
  let real = 0;
  let imaginary = 0;
  for (let index = 0; index < samples.length; index++) {
    const angle = (2 * Math.PI * frequencyHz * index) / 8000;
    real += samples[index]! * Math.cos(angle);
    imaginary += samples[index]! * Math.sin(angle);
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}

/** Median fundamental frequency of voiced 40 ms frames (8 kHz), by normalised autocorrelation. */
export function medianPitchHz(samples: Int16Array): number {
  const frame = 320;
  const pitches: number[] = [];
  for (let at = 0; at + 2 * frame < samples.length; at += frame) {
    if (rms(samples.subarray(at, at + frame)) < 1000) continue;
    let best = { likeness: 0.8, lag: 0 };
    for (let lag = 20; lag <= 133; lag++) {
      let product = 0;
      let power = 1;
      let laggedPower = 1;
      for (let index = at; index < at + frame; index++) {
        product += samples[index]! * samples[index + lag]!;
        power += samples[index]! ** 2;
        laggedPower += samples[index + lag]! ** 2;
      }
      const likeness = product / Math.sqrt(power * laggedPower);
      if (likeness > best.likeness) best = { likeness, lag };
    }
    if (best.lag > 0) pitches.push(8000 / best.lag);
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? 0;
}

interface WavOptions {
  coding?: number;
  bits?: number;
  channels?: number;
  sampleRateHz?: number;
  dataSize?: number;
  extensible?: boolean;
  /** Chunks before the format chunk. */
  before?: Uint8Array[];
}

/** A WAV file around sample bytes, valid or not according to the options. */
export function wavAround(data: Uint8Array, options: WavOptions = {}): Uint8Array {
  const { coding = 1, bits = 16, channels = 1, sampleRateHz = 8000, extensible = false } = options;
  const format = new DataView(new ArrayBuffer(extensible ? 40 : 16));
  format.setUint16(0, extensible ? 0xfffe : coding, true);
  format.setUint16(2, channels, true);
  format.setUint32(4, sampleRateHz, true);
  format.setUint32(8, (sampleRateHz * channels * bits) / 8, true);
  format.setUint16(12, (channels * bits) / 8, true);
  format.setUint16(14, bits, true);
  if (extensible) {
    format.setUint16(16, 22, true);
    format.setUint16(24, coding, true);
  }
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    ...(options.before ?? []),
    chunk('fmt ', new Uint8Array(format.buffer)),
    chunk('data', data, options.dataSize),
  ]);
  return chunk('RIFF', body);
}

export function chunk(tag: string, content: Uint8Array, size = content.length): Uint8Array {
  const head = Buffer.alloc(8);
  head.write(tag, 'latin1');
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
}
