/**
 * Reads spoken numbers: the inverse of `words.ts`, whose words for a number are the keys of its tables. Texts of
 * recognisers are compared without case, accents and spaces, because engines differ in compound words.
 */
import PHRASES from './heard-words.json' with { type: 'json' };
import { type NumberWords, wordsFor } from './words.ts';

const NATO = [
  ...['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliet', 'kilo', 'lima'],
  ...['mike', 'november', 'oscar', 'papa', 'quebec', 'romeo', 'sierra', 'tango', 'uniform', 'victor', 'whiskey'],
  ...['xray', 'yankee', 'zulu'],
];
const MAX_TABLE = 999;
const MAX_DAY = 31;
const [FIRST_YEAR, LAST_YEAR] = [1900, 2100];
/** Words of the longest number in a table. */
const MAX_NUMBER_WORDS = 9;

/** A number and the count of words that said it. */
export interface HeardNumber {
  value: number;
  words: number;
}

/** Words by which a language says dates, times, amounts and codes (`heard-words.json`). */
export interface HeardPhrases {
  /** Answers, in addition to those of `media/speech/recognition/grammar.ts`. */
  yes: readonly string[];
  no: readonly string[];
  /** Words that change nothing. */
  skip: readonly string[];
  /** Words inside numbers and between parts: and. */
  joins: readonly string[];
  thousand: readonly string[];
  point: readonly string[];
  /** Days relative to today. */
  days: Readonly<Record<string, number>>;
  next: readonly string[];
  last: readonly string[];
  /** Minutes from the full hour `{h}`: a number, or `m` and `-m` for those said as `{m}`; `u` for one digit. */
  times: Readonly<Record<string, number | string>>;
  moments: Readonly<Record<string, string>>;
  /** Hours of a part of the day, from and until; above 24 it extends into the next morning. */
  halves: Readonly<Record<string, readonly number[]>>;
  /** Words before an example word for a letter: B as in Bravo. */
  spelled: readonly string[];
  repeats: Readonly<Record<string, number>>;
  letters: Readonly<Record<string, readonly string[]>>;
  /** Further names of the digit 0. */
  zero: readonly string[];
}

/** Reader of one language. */
export interface HeardLanguage {
  readonly words: NumberWords;
  readonly phrases: HeardPhrases;
  /** Reads the number at this word: 0 to 999,999. */
  number(words: readonly string[], from: number): HeardNumber | undefined;
  /** Reads a day of a month. */
  day(words: readonly string[], from: number): HeardNumber | undefined;
  /** Reads a year as it is said: nineteen eighty-four. */
  year(words: readonly string[], from: number): HeardNumber | undefined;
  /** Letters by their names. */
  readonly letters: ReadonlyMap<string, string>;
}

/** Words in lower case without accents and punctuation. Digits keep their decimal separator, and lose `th` and `º`. */
export const heardWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/\b([ap])\.\s?m\b\.?/g, '$1m')
    .replace(/(\d)(st|nd|rd|th|er|re|e|o|a)\b/g, '$1')
    .match(/\d+(?:[.,]\d+)*|\p{L}+|[€$£]/gu) ?? [];

const letters = (text: string): string => heardWords(text).join('');

const languages = new Map<string, HeardLanguage>();

/** Undefined for a language without number words. */
export function heardLanguage(tag: string): HeardLanguage | undefined {
  const words = wordsFor(tag);
  if (!words) return undefined;
  const known = languages.get(words.language);
  if (known) return known;
  const made = readerOf(words, PHRASES[words.language as keyof typeof PHRASES]);
  languages.set(words.language, made);
  return made;
}

function readerOf(words: NumberWords, phrases: HeardPhrases): HeardLanguage {
  const cardinals = cardinalTable(words);
  const days = dayTable(words);
  const years = yearTable(words, phrases);
  const joins = new Set(words.language === 'en' ? phrases.joins : []);
  const longest = (said: readonly string[], from: number, find: (text: string) => number | undefined) => {
    const until = Math.min(said.length, from + MAX_NUMBER_WORDS);
    for (let to = until; to > from; to--) {
      // A number neither begins nor ends with "and".
      if (joins.has(said[from]!) || joins.has(said[to - 1]!)) continue;
      const part = said.slice(from, to).filter((word) => !joins.has(word));
      const value = find(part.join(''));
      if (value !== undefined) return { value, words: to - from };
    }
    return undefined;
  };
  const cardinal = (text: string): number | undefined => cardinals.get(text) ?? thousands(text, cardinals, phrases);
  return {
    words,
    phrases,
    number: (said, from) => written(said[from]) ?? longest(said, from, cardinal),
    day: (said, from) => writtenDay(said[from]) ?? longest(said, from, (text) => days.get(text)),
    year: (said, from) => writtenYear(said[from]) ?? longest(said, from, (text) => years.get(text)),
    letters: letterTable(phrases),
  };
}

const written = (word: string | undefined): HeardNumber | undefined =>
  word !== undefined && /^\d{1,9}$/.test(word) ? { value: Number(word), words: 1 } : undefined;

const writtenDay = (word: string | undefined): HeardNumber | undefined => {
  const value = Number(/^\d{1,2}$/.exec(word ?? '')?.[0] ?? 0);
  return value >= 1 && value <= MAX_DAY ? { value, words: 1 } : undefined;
};

const writtenYear = (word: string | undefined): HeardNumber | undefined =>
  /^\d{4}$/.test(word ?? '') ? { value: Number(word), words: 1 } : undefined;

/** 12,300: twelve thousand three hundred. */
function thousands(text: string, cardinals: ReadonlyMap<string, number>, phrases: HeardPhrases): number | undefined {
  for (const word of phrases.thousand) {
    const at = text.indexOf(word);
    if (at < 0) continue;
    const [front, rest] = [text.slice(0, at), text.slice(at + word.length)];
    const many = front === '' ? 1 : cardinals.get(front);
    const more = rest === '' ? 0 : cardinals.get(rest);
    if (many !== undefined && more !== undefined && many > 0) return many * 1000 + more;
  }
  return undefined;
}

function cardinalTable(words: NumberWords): Map<string, number> {
  const table = new Map<string, number>();
  const { masculine, feminine } = words.oneBefore;
  for (const one of [masculine, feminine]) table.set(letters(one), 1);
  for (let value = 0; value <= MAX_TABLE; value++) {
    for (const form of [words.cardinal(value), words.cardinal(value, true)]) table.set(letters(form), value);
  }
  if (words.language === 'en') table.set('ahundred', 100);
  return table;
}

function dayTable(words: NumberWords): Map<string, number> {
  const table = new Map<string, number>();
  for (let day = 1; day <= MAX_DAY; day++) {
    const ordinal = letters(words.ordinal(day));
    const forms = [letters(words.cardinal(day)), ordinal];
    if (words.language === 'de') forms.push(...['r', 'n', 's'].map((end) => ordinal + end));
    for (const form of forms) table.set(form, day);
  }
  return table;
}

/** Years as one number, and as two: nineteen eighty-four, neunzehnhundertvierundachtzig. */
function yearTable(words: NumberWords, { zero }: HeardPhrases): Map<string, number> {
  const table = new Map<string, number>();
  const add = (text: string, year: number): void => {
    if (!table.has(letters(text))) table.set(letters(text), year);
  };
  const say = (value: number): string => words.cardinal(value);
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
    const [century, rest] = [Math.floor(year / 100), year % 100];
    add(say(year), year);
    if (words.language === 'de') add(`${say(century)}hundert${rest === 0 ? '' : say(rest)}`, year);
    if (rest >= 10) add(`${say(century)} ${say(rest)}`, year);
    else if (rest > 0) for (const nil of zero) add(`${say(century)} ${nil} ${say(rest)}`, year);
    if (words.language === 'en' && rest === 0) add(`${say(century)} hundred`, year);
  }
  return table;
}

function letterTable(phrases: HeardPhrases): Map<string, string> {
  const table = new Map(NATO.map((name) => [name, name[0]!.toUpperCase()]));
  table.set('alfa', 'A').set('juliett', 'J').set('whisky', 'W');
  for (const [letter, names] of Object.entries(phrases.letters)) {
    for (const name of [letter, ...names]) table.set(letters(name), letter.toUpperCase());
  }
  return table;
}
