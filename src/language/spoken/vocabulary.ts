/**
 * Phrases that callers use for a date, a time, an amount or a code, for recognisers that know only listed words. Such
 * engines learn word sequences from them. Undefined, for any words, in a language without number words.
 */
import { heardLanguage } from './heard-words.ts';

type Kind = 'date' | 'time' | 'amount' | 'code';

const MAX_MINUTE = 59;
const MAX_HOUR = 23;
const MAX_DAY = 31;
const MAX_AMOUNT = 100;
const YEARS = [1950, 2050] as const;

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** `hints`: further phrases of the author. */
export function vocabularyOf(kind: Kind, language: string, hints: readonly string[]): readonly string[] | undefined {
  const reader = heardLanguage(language);
  if (!reader) return undefined;
  const { words, phrases } = reader;
  const numbers = (first: number, last: number) => range(first, last).map((value) => words.cardinal(value));
  const made: Record<Kind, () => string[]> = {
    date: () => {
      const days = range(1, MAX_DAY).flatMap((day) => [words.ordinal(day), words.cardinal(day)]);
      const months = range(0, 11).map((month) => nameOf({ month: 'long' }, language, Date.UTC(2026, month, 15)));
      const weekdays = range(4, 10).map((day) => nameOf({ weekday: 'long' }, language, Date.UTC(1970, 0, day)));
      const together = months.flatMap((month) => days.flatMap((day) => [`${day} ${month}`, `${month} ${day}`]));
      return [...together, ...numbers(...YEARS), ...weekdays, ...Object.keys(phrases.days), ...phrases.next];
    },
    time: () => [
      ...numbers(0, MAX_MINUTE),
      ...range(0, MAX_HOUR).flatMap((hour) =>
        Object.keys(phrases.times).map((each) =>
          each.replace('{h}', words.cardinal(hour)).replace('{m}', words.cardinal(MAX_MINUTE - 29)),
        ),
      ),
      ...Object.keys(phrases.moments),
      ...Object.keys(phrases.halves),
    ],
    amount: () => [
      ...numbers(0, MAX_AMOUNT),
      ...range(2, 9).map((hundreds) => words.cardinal(hundreds * 100)),
      ...phrases.thousand,
      ...phrases.point,
      ...phrases.joins,
      ...Object.values(words.currencies).flat(),
    ],
    code: () => [
      ...numbers(0, MAX_AMOUNT - 1),
      ...Object.entries(phrases.letters).flatMap(([letter, names]) => [letter, ...names]),
      ...reader.letters.keys(),
      ...phrases.spelled,
      ...Object.keys(phrases.repeats),
      ...phrases.zero,
    ],
  };
  return [...new Set([...hints, ...made[kind](), ...phrases.skip].map((each) => each.toLowerCase()))];
}

const nameOf = (what: Intl.DateTimeFormatOptions, language: string, date: number): string =>
  new Intl.DateTimeFormat(language, { ...what, timeZone: 'UTC' }).format(date);
