/** Digits as people say them one by one, "double five oh", and as engines that write digits write them: one string. */
import type { HeardWord } from './transcriber.ts';

const VALUES: Readonly<Record<string, string>> = {
  ...{ zero: '0', oh: '0', o: '0', nought: '0', one: '1', two: '2', three: '3', four: '4' },
  ...{ five: '5', six: '6', seven: '7', eight: '8', nine: '9' },
  // Other spellings of the same sounds, from engines that know all of the language.
  ...{ won: '1', too: '2', to: '2', for: '4', ate: '8' },
};
const TIMES: Readonly<Record<string, number>> = { double: 2, triple: 3 };

/** What an engine that takes a list of words has to listen for. */
export const DIGIT_WORDS: readonly string[] = [
  ...['zero', 'oh', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  ...['double', 'triple'],
];

/** Undefined when anything else was said: a number with a gap is a wrong number. */
export function digitsIn(words: readonly HeardWord[]): string | undefined {
  let digits = '';
  let times = 1;
  for (const { word } of words) {
    if (word === undefined) return undefined;
    const many = TIMES[word];
    if (many !== undefined) {
      if (times !== 1) return undefined;
      times = many;
      continue;
    }
    const value = /^\d+$/.test(word) ? word : VALUES[word];
    if (value === undefined || (times > 1 && value.length > 1)) return undefined;
    digits += value.repeat(times);
    times = 1;
  }
  return times === 1 && digits !== '' ? digits : undefined;
}
