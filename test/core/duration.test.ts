import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DURATION_PATTERN, formatDuration, parseDuration } from '../../src/base/core/duration.ts';

describe('durations', () => {
  it.each<[string, number]>([
    ['500ms', 500],
    ['6s', 6000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1m30s', 90_000],
    ['1h30m15s250ms', 5_415_250],
    ['0s', 0],
    ['1.5s', 1500],
    ['0.1s', 100],
    ['0.4ms', 0],
    ['30s1m', 90_000],
  ])('%s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    '6',
    's',
    '6 s',
    ' 6s',
    '6s ',
    '-6s',
    '+6s',
    '6S',
    '6d',
    '6sec',
    '1,5s',
    '.5s',
    '5.s',
    '1e3ms',
    '6s\n',
    'Infinitys',
    '٣s',
    `${'1'.repeat(60)}s`,
  ])('rejects the duration %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('says in its pattern what it reads', () => {
    const pattern = new RegExp(DURATION_PATTERN);
    const texts = fc.oneof(fc.stringMatching(/^[0-9.smh ]{0,12}$/), fc.string());
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseDuration(text) !== undefined).toBe(text.length <= 40 && pattern.test(text));
      }),
    );
  });

  it.each<[number, string]>([
    [0, '0ms'],
    [500, '500ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [90_000, '90s'],
    [120_000, '2m'],
    [5_400_000, '90m'],
    [7_200_000, '2h'],
  ])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e10 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
