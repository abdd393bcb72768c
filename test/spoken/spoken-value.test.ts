import { describe, expect, it } from 'vitest';
import { spokenValue } from '../../src/language/spoken/spoken-value.ts';

describe('spokenValue', () => {
  it.each<[locale: string, type: string, detail: string | undefined, value: string | number, words: string]>([
    ['en-US', 'date', undefined, '2026-12-24', 'December twenty-fourth, twenty twenty-six'],
    ['en-US', 'date', undefined, '2026-12-24T09:30:00+01:00', 'December twenty-fourth, twenty twenty-six'],
    ['en-US', 'date', 'dmy', '24.12.2026', 'December twenty-fourth, twenty twenty-six'],
    ['de-DE', 'date', undefined, '2026-12-24', 'vierundzwanzigster Dezember zweitausendsechsundzwanzig'],
    ['fr-FR', 'date', undefined, '2026-01-01', 'premier janvier deux mille vingt-six'],
    ['nl-NL', 'date', undefined, '2026-12-24', '24 december 2026'],
    ['ja-JP', 'date', undefined, '2026-12-24', '2026年12月24日'],
    ['en-US', 'time', undefined, '07:30', 'seven thirty AM'],
    ['en-GB', 'time', undefined, '14:00', 'two PM'],
    ['en-US', 'time', undefined, '00:05', 'twelve oh five AM'],
    ['en-US', 'time', 'hms24', '14:30', 'fourteen thirty'],
    ['de-DE', 'time', undefined, '14:30', 'vierzehn Uhr dreißig'],
    ['es-ES', 'time', undefined, '2026-12-24T14:30:00Z', 'catorce horas y treinta minutos'],
    ['it-IT', 'time', undefined, '14:30', 'ore quattordici e trenta'],
    ['nl-NL', 'time', undefined, '14:30', '14:30'],
    ['en-US', 'currency', 'USD', 12.5, 'twelve dollars and fifty cents'],
    ['de-DE', 'currency', 'EUR', 12.5, 'zwölf Euro und fünfzig Cent'],
    ['de-DE', 'currency', 'EUR', '1234.5', 'eintausendzweihundertvierunddreißig Euro und fünfzig Cent'],
    ['fr-FR', 'currency', 'EUR', 1, 'un euro'],
    ['nl-NL', 'currency', 'EUR', 12.5, '€\u00a012,50'],
    ['de-DE', 'cardinal', undefined, 2.5, 'zwei Komma fünf'],
    ['en-US', 'digits', undefined, '4711', 'four seven one one'],
    ['en-US', 'characters', undefined, 'AB1', 'A, B, one'],
    ['en-US', 'ordinal', undefined, 3, 'third'],
  ])('says in %s as %s (%s): %j', (locale, type, detail, value, words) => {
    expect(spokenValue(value, type, detail, locale)).toBe(words);
  });
});
