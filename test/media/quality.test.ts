import { describe, expect, it } from 'vitest';
import { meanOpinionScore } from '../../src/media/telephony/media/quality.ts';

const figures = { packetsReceived: 1000, packetsLost: 0, jitterMs: 0 };

describe('the estimated mean opinion score', () => {
  it.each([
    ['a perfect line', {}, 4.3, 4.5],
    ['a usual one', { jitterMs: 8, roundTripMs: 60 }, 4.2, 4.45],
    ['one percent lost', { packetsReceived: 990, packetsLost: 10 }, 4.1, 4.4],
    ['five percent lost', { packetsReceived: 950, packetsLost: 50 }, 3.4, 4.0],
    ['by satellite', { roundTripMs: 600 }, 3.2, 4.1],
    ['half of it lost', { packetsReceived: 500, packetsLost: 500 }, 1, 1.7],
    ['nothing but loss', { packetsReceived: 0, packetsLost: 100 }, 1, 1.4],
  ])('rates the connection: %s', (_what, more, least, most) => {
    const score = meanOpinionScore({ ...figures, ...more });
    expect(score).toBeGreaterThanOrEqual(least);
    expect(score).toBeLessThanOrEqual(most);
  });

  it('falls with every impairment', () => {
    const scores = [0, 10, 50, 100, 300].map((packetsLost) => meanOpinionScore({ ...figures, packetsLost }));
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    const delays = [20, 100, 300, 600, 2000].map((roundTripMs) => meanOpinionScore({ ...figures, roundTripMs }));
    expect([...delays].sort((a, b) => b - a)).toEqual(delays);
    expect(meanOpinionScore({ ...figures, jitterMs: 80 })).toBeLessThan(meanOpinionScore({ ...figures, jitterMs: 5 }));
  });
});
