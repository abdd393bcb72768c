/** Cut and measures of recorded prompts. */
import { describe, expect, it } from 'vitest';
import {
  clockWords,
  cutOut,
  lengthOf,
  levelOf,
  moved,
  peaksOf,
  spokenPart,
} from '../../../src/pages/studio/web/settings/trim.ts';

const RATE_HZ = 1000;
/** One second of silence, one of sound, two of silence. */
const SOUND = {
  samples: Float32Array.from({ length: 4000 }, (_, at) => (at >= 1000 && at < 2000 ? Math.sin(at) / 2 : 0)),
  rateHz: RATE_HZ,
};

describe('the spoken part', () => {
  it('excludes the silence around the words, with a margin', () => {
    expect(spokenPart(SOUND)).toEqual({ fromMs: 850, toMs: 2150 });
  });

  it('is the whole of a silent sound', () => {
    expect(spokenPart({ samples: new Float32Array(500), rateHz: RATE_HZ })).toEqual({ fromMs: 0, toMs: 500 });
  });

  it('stays within the sound', () => {
    const loud = { samples: new Float32Array(300).fill(0.5), rateHz: RATE_HZ };
    expect(spokenPart(loud)).toEqual({ fromMs: 0, toMs: 300 });
  });
});

describe('a handle', () => {
  const cut = { fromMs: 1000, toMs: 2000 };

  it.each([
    ['fromMs', 1500, { fromMs: 1500, toMs: 2000 }],
    ['fromMs', -20, { fromMs: 0, toMs: 2000 }],
    ['fromMs', 5000, { fromMs: 1900, toMs: 2000 }],
    ['toMs', 9000, { fromMs: 1000, toMs: 4000 }],
    ['toMs', 0, { fromMs: 1000, toMs: 1100 }],
  ] as const)('moves %s to %i within its limits', (end, toMs, wanted) => {
    expect(moved(cut, end, toMs, 4000)).toEqual(wanted);
  });
});

describe('a cut sound', () => {
  it('has the samples between its beginning and its end', () => {
    const part = cutOut(SOUND, { fromMs: 1000, toMs: 2000 });
    expect([part.length, lengthOf({ samples: part, rateHz: RATE_HZ })]).toEqual([1000, 1000]);
    expect(part).toEqual(SOUND.samples.slice(1000, 2000));
  });
});

describe('measures', () => {
  it('shows the loudest sample of each part', () => {
    expect(peaksOf(SOUND, 4).map((peak) => Math.round(peak * 10))).toEqual([0, 5, 0, 0]);
    expect(peaksOf({ samples: new Float32Array([2, 0.5]) }, 2)).toEqual([1, 0.5]);
  });

  it.each([
    [0, 0],
    [0.001, 0],
    [0.0316, 0.5],
    [1, 1],
  ])('shows a level of %f as %f', (sample, level) => {
    expect(levelOf(new Float32Array(100).fill(sample))).toBeCloseTo(level, 2);
  });

  it.each([
    [0, '0:00.0'],
    [4560, '0:04.5'],
    [61_000, '1:01.0'],
  ])('shows %i ms as %s', (ms, words) => {
    expect(clockWords(ms)).toBe(words);
  });
});
