/** Dates and times of day as people type them. */
import { describe, expect, test } from 'vitest';
import { readDate, readTimeOfDay } from '../../../src/pages/studio/web/settings/dates.ts';
import { holidaysIn } from '../../../src/pages/studio/web/settings/holidays.tsx';

describe('typed date', () => {
  test.each([
    ['2026-12-25', '2026-12-25'],
    ['2026-1-2', '2026-01-02'],
    ['25.12.2026', '2026-12-25'],
    [' 1. 2. 2026 ', '2026-02-01'],
    ['12/25/2026', '2026-12-25'],
    ['25/12/2026', '2026-12-25'],
    ['4/4/2026', '2026-04-04'],
  ])('reads %s as %s', (written, iso) => {
    expect(readDate(written)).toEqual({ iso });
  });

  test('asks which of two dates is meant, and offers both', () => {
    expect(readDate('03/04/2026')).toEqual({
      problem: '03/04/2026 can be two dates: write 2026-04-03 or 2026-03-04.',
    });
  });

  test.each([
    ['', 'Choose a date.'],
    ['30.2.2026', 'There is no day 30.2.2026.'],
    ['2026-13-01', 'There is no day 2026-13-01.'],
    ['Christmas', 'Write the date as 25.12.2026 or 2026-12-25, not Christmas.'],
  ])('describes the problem of %j in a sentence', (written, problem) => {
    expect(readDate(written)).toEqual({ problem });
  });

  test('reads pasted lines as dates with names', () => {
    expect(holidaysIn('25.12.2026 Christmas\n2027-01-01\tNew Year\n\nsoon')).toEqual([
      { date: '2026-12-25', name: 'Christmas' },
      { date: '2027-01-01', name: 'New Year' },
      { date: 'soon' },
    ]);
  });
});

describe('typed time of day', () => {
  test.each([
    ['9', '09:00'],
    ['9:30', '09:30'],
    ['9.30', '09:30'],
    ['17:00', '17:00'],
    ['24:00', '24:00'],
    ['5 pm', '17:00'],
    ['12 am', '00:00'],
    ['12:15pm', '12:15'],
  ])('reads %s as %s', (written, time) => {
    expect(readTimeOfDay(written)).toBe(time);
  });

  test.each(['', '25', '9:75', '24:30', '13 pm', 'noon'])('does not read %j as a time', (written) => {
    expect(readTimeOfDay(written)).toBeUndefined();
  });
});
