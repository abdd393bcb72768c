/** Parses spoken digits, as in "double five oh", and digits as engines write them, to one string. */
import type { RecognizedWord } from './transcriber.ts';

const VALUES: Readonly<Record<string, string>> = {
  ...{ zero: '0', oh: '0', o: '0', nought: '0', one: '1', two: '2', three: '3', four: '4' },
  ...{ five: '5', six: '6', seven: '7', eight: '8', nine: '9' },
  // Homophones, from engines with a full vocabulary.
  ...{ won: '1', too: '2', to: '2', for: '4', ate: '8' },
};
const TIMES: Readonly<Record<string, number>> = { double: 2, triple: 3 };

const SPOKEN = ['zero', 'oh', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/**
 * Phrases for engines that accept a list. Such engines learn word sequences from it: one phrase contains every pair of
 * digits once.
 */
export const DIGIT_PHRASES: readonly string[] = [
  ...SPOKEN,
  ...SPOKEN.flatMap((digit) => [`double ${digit}`, `triple ${digit}`]),
  everyPair(SPOKEN).join(' '),
];

/**
 * A sequence in which every ordered pair of words occurs exactly once: an Eulerian circuit by Hierholzer's algorithm.
 */
function everyPair(words: readonly string[]): string[] {
  const next = words.map(() => 0);
  const open = [0];
  const circuit: string[] = [];
  while (open.length > 0) {
    const at = open.at(-1)!;
    const to = next[at]!;
    if (to < words.length) {
      next[at] = to + 1;
      open.push(to);
    } else {
      circuit.push(words[at]!);
      open.pop();
    }
  }
  return circuit;
}

/** Undefined if anything else was said: a number with a gap is a wrong number. */
export function digitsIn(words: readonly RecognizedWord[]): string | undefined {
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
