/**
 * Words by which prompts ask for keys and digits, in each language that the number words of the speech engine know.
 * `said-keys.ts` and `said-counts.ts` read prompts with them.
 */
import { remembered } from '../../../base/core/remembered.ts';
import { wordsFor } from '../../spoken/words.ts';
import WORDS from './words.json' with { type: 'json' };

/** `numbers` are the words of 0 to 20, each at its own index, with hyphens in place of spaces. */
export type SaidWords = Readonly<Record<keyof (typeof WORDS)['en'] | 'numbers', readonly string[]>>;

const MAX_NUMBER = 20;

export const SAID_LANGUAGES: readonly SaidWords[] = Object.entries(WORDS).map(([language, words]) => ({
  ...words,
  numbers: numberWords(language),
}));

function numberWords(language: string): string[] {
  const words = wordsFor(language)!;
  return Array.from({ length: MAX_NUMBER + 1 }, (_, number) => words.cardinal(number).replaceAll(' ', '-'));
}

/** Alternatives for a regular expression, the longest first. */
export const anyOf = (words: readonly string[]): string =>
  words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+'))
    .join('|');

export const BEFORE_WORD = '(?<![\\p{L}\\p{N}])';
export const AFTER_WORD = '(?![\\p{L}\\p{N}])';

/** A text without templates and SSML tags; the offsets of the words stay. */
export const spokenPart = (text: string): string =>
  text.replaceAll(/\$\{[^}]*\}|<[^>]*>/g, (part) => ' '.repeat(part.length)).replaceAll('’', "'");

/** Words of a text in lower case, without accents. */
export const plainWords = remembered(
  (text): readonly string[] =>
    text
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+(?:['-]\p{L}+)*/gu) ?? [],
);
