import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  extendSequence,
  isNewer,
  isRestart,
  sequenceDistance,
  timestampDistance,
} from '../../../src/media/toolbox/rtp/sequence.ts';

describe('circular distances', () => {
  it('are measured across the wrap of 16 and 32 bits', () => {
    expect(timestampDistance(0xffff_fff0, 0x10)).toBe(0x20);
    expect(timestampDistance(0x10, 0xffff_fff0)).toBe(-0x20);
    expect(sequenceDistance(0xffff, 1)).toBe(2);
    expect(sequenceDistance(1, 0xffff)).toBe(-2);
  });

  it.each([
    [1, 0, true],
    [0, 1, false],
    [5, 5, false],
    [0, 0xffff, true],
    [0x7fff, 0, true],
    [0x8000, 0, false],
    [0x8001, 0, false],
  ])('tells whether %i is newer than %i: %s', (a, b, expected) => {
    expect(isNewer(a, b)).toBe(expected);
  });

  it.each([
    [10, 11, false],
    [10, 10, false],
    [10, 3009, false],
    [10, 3010, true],
    [200, 101, false],
    [200, 100, true],
    [0xfff0, 2000, false],
    [50, 0xffff, false],
    [50, 0x8032, true],
  ])('tells after %i whether %i is from a restarted source: %s', (newest, sequence, expected) => {
    expect(isRestart(newest, sequence)).toBe(expected);
  });
});

describe('extended sequence numbers', () => {
  it.each([
    ['the next', 7, 8, 8],
    ['one before', 7, 6, 6],
    ['one before the first', 0, 0xffff, -1],
    ['the next cycle', 0xffff, 0, 0x1_0000],
    ['the cycle before', 0x1_0000, 0xffff, 0xffff],
    ['half a cycle ahead in the lower half', 0x1_0000, 0x8000, 0x1_8000],
    ['more than half a cycle ahead', 0x1_0000, 0x8001, 0x8001],
    ['half a cycle behind in the upper half', 0x1_8000, 0, 0x1_0000],
    ['more than half a cycle behind', 0x1_8001, 0, 0x2_0000],
    ['a cycle past 32 bits', 0xffff_ffff, 3, 0x1_0000_0003],
  ])('takes %s for the nearest', (_what, newest, sequence, expected) => {
    expect(extendSequence(newest, sequence)).toBe(expected);
  });

  it('keeps the 16 bits, and differs from the newest by at most half a cycle', () => {
    const extended = fc.integer({ min: 0, max: 2 ** 48 });
    fc.assert(
      fc.property(extended, fc.integer({ min: 0, max: 0xffff }), (newest, sequence) => {
        const found = extendSequence(newest, sequence);
        expect((found + 0x1_0000) % 0x1_0000).toBe(sequence);
        expect(Math.abs(found - newest)).toBeLessThanOrEqual(0x8000);
      }),
    );
  });
});
