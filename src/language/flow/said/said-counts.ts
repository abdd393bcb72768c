/**
 * Reads how many digits a prompt asks for: “nine digits”, “a four-digit PIN”, “eine achtstellige Nummer”, “four to six
 * digits”. Pure.
 */
import { remembered } from '../../../base/core/remembered.ts';
import { AFTER_WORD, anyOf, BEFORE_WORD, SAID_LANGUAGES, type SaidWords, spokenPart } from './said-words.ts';

export interface SaidCount {
  /** Infinity and 0 for “at least” and “up to”. */
  least: number;
  most: number;
}

const MAX_COUNT = 40;

function patternOf(words: SaidWords): RegExp {
  const { numbers, digits, digitsInOne, to, or, least, most } = words;
  const number = `([0-9]{1,2}|${anyOf(numbers)})`;
  const bound = `(?:(${anyOf(least)})\\s+|(${anyOf(most)})\\s+)?`;
  const other = `(?:\\s*(?:${anyOf([...to, ...or, '-', '–'])})\\s*${number})?`;
  const nouns = [`\\s+(?:${anyOf(digits)})`, ...(digitsInOne.length > 0 ? [`[\\s-]?(?:${anyOf(digitsInOne)})`] : [])];
  return new RegExp(`${BEFORE_WORD}${bound}${number}${other}(?:${nouns.join('|')})${AFTER_WORD}`, 'giu');
}

/** Words with which digits are a part of the input: “the last four digits”, “two digits each”. */
const partOf = ({ part }: SaidWords): RegExp => new RegExp(`${BEFORE_WORD}(?:${anyOf(part)})${AFTER_WORD}`, 'iu');

const readers = SAID_LANGUAGES.map((words) => ({ words, pattern: patternOf(words), part: partOf(words) }));

/** Numbers of digits that a text asks for. Empty if it speaks of parts of the input. */
export const saidCounts = remembered((text): readonly SaidCount[] => {
  const spoken = spokenPart(text);
  return readers.flatMap(({ words, pattern, part }) => {
    const counts = [...spoken.matchAll(pattern)].map(([, atLeast, atMost, first = '', second]) => {
      const one = numberOf(first, words);
      const two = second === undefined ? one : numberOf(second, words);
      if (atLeast !== undefined) return { least: one, most: Number.POSITIVE_INFINITY };
      return { least: atMost === undefined ? Math.min(one, two) : 0, most: Math.max(one, two) };
    });
    const isKnown = counts.every(({ most }) => most > 0 && (most <= MAX_COUNT || most === Number.POSITIVE_INFINITY));
    return isKnown && !part.test(spoken) ? counts : [];
  });
});

const numberOf = (text: string, { numbers }: SaidWords): number =>
  /^\d/.test(text) ? Number(text) : numbers.indexOf(text.toLowerCase());
