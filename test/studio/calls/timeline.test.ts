import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyClustersOf } from '../../../src/pages/studio/web/calls/key-clusters.ts';
import { cuesFrom, listeningAt, momentAfter } from '../../../src/pages/studio/web/calls/playback.ts';
import { FOLD_WIDTH, foldsOf, TimeScale } from '../../../src/pages/studio/web/calls/timeline.ts';

const HOUR = 3_600_000;
/** Two hours of waiting between two events. */
const LONG = foldsOf([0, 1000, 4000, 4000 + 2 * HOUR, 2 * HOUR + 9000], 2 * HOUR + 10_000);

describe('timeline of a call', () => {
  it('folds only periods without events', () => {
    expect(LONG).toEqual([{ fromMs: 5500, toMs: 2 * HOUR + 2500 }]);
    expect(foldsOf([0, 19_000, 38_000], 57_000)).toEqual([]);
    expect(foldsOf([0], 60_000)).toEqual([{ fromMs: 1500, toMs: 58_500 }]);
  });

  it('fills its width, with a fold of a fixed width', () => {
    const scale = new TimeScale(LONG, 2 * HOUR + 10_000, 1000);
    expect(scale.width).toBeCloseTo(1000);
    expect(scale.xAt(2 * HOUR + 2500) - scale.xAt(5500)).toBeCloseTo(FOLD_WIDTH);
    expect(scale.xAt(2 * HOUR + 10_000)).toBeCloseTo(1000);
    expect(new TimeScale(LONG, 2 * HOUR + 10_000, 1000, 2).width).toBeGreaterThan(1800);
  });

  it('is wider than its window when it would be unreadable, and narrower when it would be stretched', () => {
    expect(new TimeScale([], HOUR, 800).width).toBeCloseTo(HOUR * 0.012);
    expect(new TimeScale([], 1000, 800).width).toBeCloseTo(160);
    expect(new TimeScale([], 0, 800).xAt(0)).toBe(0);
  });

  const moments = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 40 }).map((gaps) => {
    let ms = 0;
    return gaps.map((gap) => (ms += gap));
  });

  it('never folds an event, and keeps the order of time', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 300, max: 2000 }), (list, width) => {
        const length = list.at(-1)! + 500;
        const folds = foldsOf(list, length);
        const scale = new TimeScale(folds, length, width);
        for (const { fromMs, toMs } of folds) expect(list.some((ms) => ms > fromMs && ms < toMs)).toBe(false);
        const drawn = list.map((ms) => scale.xAt(ms));
        expect(drawn).toEqual(drawn.toSorted((one, other) => one - other));
        for (const ms of list) expect(scale.msAt(scale.xAt(ms))).toBeCloseTo(ms, 3);
        for (const tick of scale.ticks())
          expect(folds.some(({ fromMs, toMs }) => tick > fromMs && tick < toMs)).toBe(false);
      }),
    );
  });

  it('writes times far enough apart to be read', () => {
    const ticks = new TimeScale([], 65_000, 1000).ticks();
    expect(ticks).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  });

  it('draws overlapping keys as one', () => {
    const pressed = (fromMs: number, digit: string) => ({
      act: 'pressed' as const,
      digit,
      seq: fromMs,
      fromMs,
      toMs: fromMs,
    });
    const scale = new TimeScale([], 100_000, 1000);
    const acts = [pressed(1000, '1'), pressed(1200, '2'), pressed(1400, '3'), pressed(9000, '4')];
    expect(keyClustersOf(acts, scale).map(({ digits, span }) => [digits, span.fromMs])).toEqual([
      ['123', 1000],
      ['4', 9000],
    ]);
    const hangUp = { act: 'hung_up' as const, seq: 9, fromMs: 9050, toMs: 9050 };
    expect(keyClustersOf([...acts, hangUp], scale).at(-1)).toMatchObject({ digits: '', acts: [hangUp] });
  });
});

describe('playback of a timeline', () => {
  it('skips the folded periods', () => {
    expect(listeningAt(LONG, 5000)).toBe(5000);
    expect(listeningAt(LONG, HOUR)).toBe(5500);
    expect(listeningAt(LONG, 2 * HOUR + 3000)).toBe(6000);
    expect(momentAfter(LONG, 0, 6000)).toBe(2 * HOUR + 3000);
    expect(momentAfter(LONG, HOUR, 100)).toBe(2 * HOUR + 2600);
    expect(momentAfter([], 250, 100)).toBe(350);
  });

  it('reaches each moment after the listening time up to it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 12_000 }), (from, heard) => {
        const to = momentAfter(LONG, from, heard);
        expect(listeningAt(LONG, to) - listeningAt(LONG, from)).toBe(heard);
      }),
    );
  });

  it('plays each sound at its time, from its middle where needed, and music on both sides of a fold', () => {
    const end = 2 * HOUR + 10_000;
    const welcome = { fromMs: 200, toMs: 3000 };
    const music = { fromMs: 4000, toMs: 2 * HOUR + 4000 };
    const bye = { fromMs: 2 * HOUR + 9000 };
    expect(cuesFrom([bye, welcome, music], LONG, 1000, end)).toEqual([
      { source: welcome, afterMs: 0, skipMs: 800, lengthMs: 2000 },
      { source: music, afterMs: 3000, skipMs: 0, lengthMs: 1500 },
      { source: music, afterMs: 4500, skipMs: 2 * HOUR - 1500, lengthMs: 1500 },
      { source: bye, afterMs: 11_000, skipMs: 0, lengthMs: 1000 },
    ]);
    expect(cuesFrom([welcome], [], 3000, end)).toEqual([]);
  });
});
