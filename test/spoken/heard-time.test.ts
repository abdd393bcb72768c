import { describe, expect, it } from 'vitest';
import { type TimeRules, timeFromKeys, timeFromWords } from '../../src/language/spoken/heard-time.ts';

const AFTERNOON: TimeRules = { earliest: '13:00', latest: '18:00' };

describe('timeFromKeys', () => {
  it.each<[typed: string, rules: TimeRules, time: string | undefined]>([
    ['1430', {}, '14:30'],
    ['0930', {}, '09:30'],
    ['930', {}, '09:30'],
    ['9', {}, '09:00'],
    ['14', {}, '14:00'],
    ['9*30', {}, '09:30'],
    ['0000', {}, '00:00'],
    ['2400', {}, undefined],
    ['1260', {}, undefined],
    ['25', {}, undefined],
    ['', {}, undefined],
    ['*', {}, undefined],
    ['230', AFTERNOON, '14:30'],
    ['2', AFTERNOON, '14:00'],
    ['0230', AFTERNOON, undefined],
    ['7', AFTERNOON, undefined],
    ['1800', AFTERNOON, '18:00'],
    ['1801', AFTERNOON, undefined],
  ])('reads %j within %j', (typed, rules, time) => {
    expect(timeFromKeys(typed, rules)).toBe(time);
  });
});

describe('timeFromWords', () => {
  it.each<[language: string, said: string, time: string | undefined]>([
    ['en-US', 'two thirty PM', '14:30'],
    ['en-US', '2:30 p.m.', '14:30'],
    ['en-US', 'half past two', '02:30'],
    ['en-US', 'half past two in the afternoon', '14:30'],
    ['en-US', 'a quarter to three', '02:45'],
    ['en-US', 'quarter past nine', '09:15'],
    ['en-US', 'ten past nine', '09:10'],
    ['en-US', "nine o'clock in the evening", '21:00'],
    ['en-US', 'nine oh five', '09:05'],
    ['en-US', 'fourteen thirty', '14:30'],
    ['en-US', 'twenty one', '21:00'],
    ['en-US', 'noon', '12:00'],
    ['en-US', 'at midnight', '00:00'],
    ['en-US', 'twelve thirty am', '00:30'],
    ['en-US', 'twelve at night', '00:00'],
    ['en-US', '9', '09:00'],
    ['en-US', '9 pm', '21:00'],
    ['en-US', 'twenty five', undefined],
    ['en-US', 'something else', undefined],
    ['de', 'halb drei', '02:30'],
    ['de', 'halb drei nachmittags', '14:30'],
    ['de', 'vierzehn Uhr dreißig', '14:30'],
    ['de', 'um ein Uhr', '01:00'],
    ['de', 'Viertel vor drei', '02:45'],
    ['de', 'dreiviertel drei', '02:45'],
    ['de', 'viertel nach acht abends', '20:15'],
    ['de', '14 Uhr', '14:00'],
    ['de', 'Mitternacht', '00:00'],
    ['fr', 'quatorze heures trente', '14:30'],
    ['fr', "deux heures et demie de l'après-midi", '14:30'],
    ['fr', 'trois heures moins le quart', '02:45'],
    ['fr', 'huit heures du soir', '20:00'],
    ['fr', '14 h 30', '14:30'],
    ['fr', 'midi', '12:00'],
    ['es', 'las dos y media de la tarde', '14:30'],
    ['es', 'a las tres menos cuarto', '02:45'],
    ['es', 'las ocho de la noche', '20:00'],
    ['es', 'las catorce treinta', '14:30'],
    ['es', 'a la una', '01:00'],
    ['it', 'le due e mezza', '02:30'],
    ['it', 'alle otto di sera', '20:00'],
    ['it', 'quattordici e trenta', '14:30'],
    ['it', 'le tre meno un quarto', '02:45'],
    ['it', 'mezzogiorno', '12:00'],
    ['nl', '14:30', '14:30'],
  ])('reads in %s: %s', (language, said, time) => {
    expect(timeFromWords(said, language, {})).toBe(time);
  });

  it('chooses the half of the day in which the time is accepted', () => {
    expect(timeFromWords('half past two', 'en-US', AFTERNOON)).toBe('14:30');
    expect(timeFromWords('half past two in the morning', 'en-US', AFTERNOON)).toBeUndefined();
    expect(timeFromWords('seven', 'en-US', AFTERNOON)).toBeUndefined();
  });
});
