/**
 * Words by which prompts ask for keys and digits, in each language that the number words of the speech engine know.
 * `said-keys.ts` and `said-counts.ts` read prompts with them.
 */
import { remembered } from '../../../base/core/remembered.ts';
import WORDS from './words.json' with { type: 'json' };

export type SaidWords = Readonly<Record<keyof (typeof WORDS)['en'], readonly string[]>>;

export const SAID_LANGUAGES: readonly SaidWords[] = Object.values(WORDS);

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
