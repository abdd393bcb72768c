import { describe, expect, it } from 'vitest';
import { type DateRules, dateFromKeys, dateFromWords } from '../../src/language/spoken/heard-date.ts';

/** A Monday. */
const TODAY = '2026-11-30';
const dmy: DateRules = { order: 'dmy', today: TODAY };
const mdy: DateRules = { order: 'mdy', today: TODAY };

describe('dateFromKeys', () => {
  it.each<[typed: string, rules: DateRules, date: string | undefined]>([
    ['24122026', dmy, '2026-12-24'],
    ['12242026', mdy, '2026-12-24'],
    ['20261224', { ...dmy, order: 'ymd' }, '2026-12-24'],
    ['241226', dmy, '2026-12-24'],
    ['2412', dmy, '2026-12-24'],
    ['1224', mdy, '2026-12-24'],
    ['24*12*2026', dmy, '2026-12-24'],
    ['1*2', dmy, '2027-02-01'],
    ['1*2*27', dmy, '2027-02-01'],
    ['30022026', dmy, undefined],
    ['29022028', dmy, '2028-02-29'],
    ['29022027', dmy, undefined],
    ['31112026', dmy, undefined],
    ['00012026', dmy, undefined],
    ['24132026', dmy, undefined],
    ['24122', dmy, undefined],
    ['24**2026', dmy, undefined],
    ['', dmy, undefined],
    // Without the year, the next such day, or the last one.
    ['2911', dmy, '2027-11-29'],
    ['3011', dmy, '2026-11-30'],
    ['0112', { ...dmy, range: 'past' }, '2025-12-01'],
    ['2902', dmy, '2028-02-29'],
    // Without the century, the nearest day of the period.
    ['150685', { ...dmy, range: 'past' }, '1985-06-15'],
    ['150630', { ...dmy, range: 'past' }, '1930-06-15'],
    ['150630', dmy, '2030-06-15'],
    // Outside of the period.
    ['29112026', { ...dmy, range: 'future' }, undefined],
    ['30112026', { ...dmy, range: 'future' }, '2026-11-30'],
    ['01122026', { ...dmy, range: 'past' }, undefined],
    ['24122026', { ...dmy, earliest: '2026-12-25' }, undefined],
    ['24122026', { ...dmy, latest: '2026-12-23' }, undefined],
    ['24122026', { ...dmy, earliest: '2026-12-24', latest: '2026-12-24' }, '2026-12-24'],
  ])('reads the keys %j as a value', (typed, rules, date) => {
    expect(dateFromKeys(typed, rules)).toBe(date);
  });
});

describe('dateFromWords', () => {
  it.each<[language: string, said: string, date: string | undefined]>([
    ['en-US', 'December twenty-fourth, twenty twenty-six', '2026-12-24'],
    ['en-US', 'december twenty four twenty twenty six', '2026-12-24'],
    ['en-US', 'December 24th, 2026', '2026-12-24'],
    ['en-US', 'December 24', '2026-12-24'],
    ['en-US', '12/24/2026', '2026-12-24'],
    ['en-US', 'it is march the third please', '2027-03-03'],
    ['en-US', 'June fifteenth nineteen eighty-five', '1985-06-15'],
    ['en-US', 'June fifteenth nineteen oh five', '1905-06-15'],
    ['en-US', 'Monday december seventh', '2026-12-07'],
    ['en-GB', 'the twenty fourth of December', '2026-12-24'],
    ['en-GB', 'the third of may two thousand and thirty', '2030-05-03'],
    ['en-GB', '24/12/2026', '2026-12-24'],
    ['en-GB', 'twenty-four twelve twenty twenty-six', '2026-12-24'],
    ['en-GB', '2026-12-24', '2026-12-24'],
    ['en-GB', 'today', '2026-11-30'],
    ['en-GB', 'tomorrow please', '2026-12-01'],
    ['en-GB', 'the day after tomorrow', '2026-12-02'],
    ['en-GB', 'next Friday', '2026-12-04'],
    ['en-GB', 'on Monday', '2026-12-07'],
    ['en-GB', 'last Monday', '2026-11-23'],
    ['en-GB', 'the thirtieth of February', undefined],
    ['en-GB', 'the thirty second of May', undefined],
    ['en-GB', 'December', undefined],
    ['en-GB', 'something else entirely', undefined],
    ['de', 'am vierundzwanzigsten Dezember', '2026-12-24'],
    ['de', 'vierundzwanzigster Dezember zweitausendsechsundzwanzig', '2026-12-24'],
    ['de', '24. Dezember 2026', '2026-12-24'],
    ['de', 'fünfzehnter Juni neunzehnhundertfünfundachtzig', '1985-06-15'],
    ['de', 'der erste März', '2027-03-01'],
    ['de', 'übermorgen', '2026-12-02'],
    ['de', 'nächsten Freitag', '2026-12-04'],
    ['de', 'dreißigster Februar', undefined],
    ['fr', 'le vingt-quatre décembre deux mille vingt-six', '2026-12-24'],
    ['fr', 'le premier mars', '2027-03-01'],
    ['fr', '24 décembre 2026', '2026-12-24'],
    ['fr', 'après-demain', '2026-12-02'],
    ['fr', 'vendredi prochain', '2026-12-04'],
    ['es', 'el veinticuatro de diciembre de dos mil veintiséis', '2026-12-24'],
    ['es', 'el tres de mayo', '2027-05-03'],
    ['es', 'pasado mañana', '2026-12-02'],
    ['es', 'mañana', '2026-12-01'],
    ['it', 'il ventiquattro dicembre duemilaventisei', '2026-12-24'],
    ['it', 'il primo marzo', '2027-03-01'],
    ['it', 'dopodomani', '2026-12-02'],
    ['it', 'venerdì', '2026-12-04'],
    // A language without number words: dates in digits.
    ['nl', '24-12-2026', '2026-12-24'],
    ['nl', 'vierentwintig december', undefined],
  ])('reads in %s: %s', (language, said, date) => {
    expect(dateFromWords(said, language, language === 'en-US' ? mdy : dmy)).toBe(date);
  });

  it('chooses the last weekday and the last year if only past days are accepted', () => {
    const past: DateRules = { ...dmy, range: 'past' };
    expect(dateFromWords('Friday', 'en-GB', past)).toBe('2026-11-27');
    expect(dateFromWords('the third of December', 'en-GB', past)).toBe('2025-12-03');
    expect(dateFromWords('tomorrow', 'en-GB', past)).toBeUndefined();
  });
});
