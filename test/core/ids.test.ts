import { describe, expect, it } from 'vitest';
import { countingIds, randomIds, seededRandom, systemRandom } from '../../src/base/core/ids.ts';

describe('identifiers', () => {
  it('are unique for each call', () => {
    const ids = Array.from({ length: 1000 }, () => randomIds.next('call'));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are counted by kind in tests, with separate counters', () => {
    const ids = countingIds();
    expect(['call', 'play', 'call', 'play', 'call'].map((kind) => ids.next(kind))).toEqual([
      'call-1',
      'play-1',
      'call-2',
      'play-2',
      'call-3',
    ]);
    expect(countingIds().next('call')).toBe('call-1');
    expect(ids.next('constructor')).toBe('constructor-1');
  });
});

describe('chance', () => {
  const draw = (seed: number, count: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: count }, random);
  };

  it('is the same for the same seed and another for another', () => {
    expect(draw(42, 20)).toEqual(draw(42, 20));
    expect(draw(42, 20)).not.toEqual(draw(43, 20));
  });

  it.each([0, 1, -1, 2 ** 31, 2 ** 32 - 1, 0.5])('is even and within [0, 1) from seed %f', (seed) => {
    const drawn = draw(seed, 10_000);
    for (const value of drawn) expect(value >= 0 && value < 1).toBe(true);
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => drawn.filter((value) => Math.floor(value * 10) === tenth).length,
    );
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('returns system values within [0, 1), never the same twice', () => {
    const drawn = Array.from({ length: 2_000 }, systemRandom);
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it('stays the same from version to version, because journals keep seeds', () => {
    expect(draw(1, 3).map((value) => value.toFixed(9))).toMatchInlineSnapshot(`
      [
        "0.627073941",
        "0.002735721",
        "0.527447040",
      ]
    `);
  });
});
