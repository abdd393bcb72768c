/** Opening hours, drawn as a week and encoded for the API. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/core/json.ts';
import {
  barsOf,
  DAYS,
  daysOf,
  rangesOf,
  readSchedule,
  writtenSchedule,
} from '../../../src/pages/studio/web/settings/schedule.ts';

describe('a schedule', () => {
  test.each([
    [undefined, [...DAYS]],
    ['mon-fri', ['mon', 'tue', 'wed', 'thu', 'fri']],
    [
      ['mon', 'sat-sun'],
      ['mon', 'sat', 'sun'],
    ],
    ['sat-mon', ['mon', 'sat', 'sun']],
    ['someday', []],
  ])('takes %j for its days', (written, days) => {
    expect(daysOf(written)).toEqual(days);
  });

  test('writes any days in a form that it reads again', () => {
    fc.assert(
      fc.property(fc.subarray([...DAYS]), (days) => {
        expect(daysOf(rangesOf(days))).toEqual(days);
      }),
    );
  });

  test('is restored unchanged with its holidays', () => {
    const written = {
      timezone: 'Europe/Paris',
      open: [
        { days: ['mon-fri'], from: '09:00', to: '18:00' },
        { from: '22:00', to: '24:00' },
      ],
      holidays: ['2026-12-25', { date: '2027-01-01', name: 'New Year' }],
    };
    expect(writtenSchedule(readSchedule(written as unknown as Record<string, Json>))).toEqual(written);
  });

  test('is drawn on both days when it crosses midnight', () => {
    const { open } = readSchedule({ open: [{ days: 'sun', from: '22:00', to: '02:00' }] });
    expect(barsOf(open)).toEqual([
      { day: 'sun', fromMinute: 1320, toMinute: 1440, text: '22:00–02:00' },
      { day: 'mon', fromMinute: 0, toMinute: 120, text: '22:00–02:00' },
    ]);
  });

  test('has one bar until midnight, and no bar for incomplete times', () => {
    const { open } = readSchedule({
      open: [
        { days: 'mon', from: '08:00', to: '24:00' },
        { days: 'tue', from: '8', to: '12:00' },
      ],
    });
    expect(barsOf(open)).toEqual([{ day: 'mon', fromMinute: 480, toMinute: 1440, text: '08:00–24:00' }]);
  });
});
