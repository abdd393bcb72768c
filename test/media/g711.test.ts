import { describe, expect, it } from 'vitest';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { decodeTable, type G711Codec, recodeTable, silenceByte } from '../../src/media/toolbox/audio/g711.ts';

/** ITU-T G.711 §3.2, table 2a: 14-bit magnitudes (33 + 2m)·2^s − 33, here on the 16-bit scale. */
function decodeUlaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((33 + 2 * (code & 15)) * 2 ** ((code >> 4) & 7) - 33) * 4;
  return code & 0x80 ? -magnitude : magnitude;
}

/** ITU-T G.711 §3.1, table 1a: 13-bit magnitudes, even bits inverted on the wire. */
function decodeAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 7;
  const step = 2 * (code & 15) + 1;
  const magnitude = (segment === 0 ? step : (step + 32) * 2 ** (segment - 1)) * 8;
  return code & 0x80 ? magnitude : -magnitude;
}

const laws: [G711Codec, (byte: number) => number][] = [
  ['PCMU', decodeUlaw],
  ['PCMA', decodeAlaw],
];

describe.each(laws)('%s', (codec, reference) => {
  const levels = Array.from({ length: 256 }, (_, byte) => reference(byte));

  it('decodes every byte according to the standard', () => {
    const table = decodeTable(codec);
    expect(levels.map((_, byte) => table[byte]! + 0)).toEqual(levels.map((level) => level + 0));
  });

  it('encodes every decoded level to itself', () => {
    const coded = encodeG711(Int16Array.from(levels), codec);
    expect([...coded].map((byte) => reference(byte) + 0)).toEqual(levels.map((level) => level + 0));
  });

  it('encodes every sample to a level no further away than the interval it lies in', () => {
    const samples = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);
    const coded = encodeG711(samples, codec);
    for (const [index, sample] of samples.entries()) {
      const level = reference(coded[index]!);
      // Clipped above the last level; inside, the intervals of segment s are 2^(s+3) wide (16-bit scale), 8 or 16 at
      // zero.
      const error = Math.abs(level - Math.max(-32_124, Math.min(32_124, sample)));
      const allowed = Math.max(16, Math.abs(sample) / 16);
      if (error > allowed) throw new Error(`${sample} became ${level}`);
    }
    expect(coded).toHaveLength(65_536);
  });

  it('has a silence close to zero, and encodes into shared memory', () => {
    expect(Math.abs(reference(silenceByte(codec)))).toBeLessThanOrEqual(8);
    expect(encodeG711(new Int16Array(4), codec).buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe('conversion between the laws', () => {
  it.each([
    ['PCMA', decodeUlaw, decodeAlaw],
    ['PCMU', decodeAlaw, decodeUlaw],
  ] as const)('keeps each level within a sixteenth, into %s', (codec, from, to) => {
    const recode = recodeTable(codec);
    for (let byte = 0; byte < 256; byte++) {
      const level = from(byte);
      expect(Math.abs(to(recode[byte]!) - level)).toBeLessThanOrEqual(Math.max(16, Math.abs(level) / 16));
    }
  });
});
