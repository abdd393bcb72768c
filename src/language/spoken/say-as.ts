/**
 * Converts `<say-as interpret-as="…">` (SSML 1.1 §3.1.9, and the values of the API) to words that every engine reads as
 * intended. Text that does not match its type is spoken as written: a number read badly is better than silence.
 */
import { date, duration, time } from './dates.ts';
import { cardinal, currency, digits, fraction, ordinal } from './numbers.ts';
import { type NumberWords, wordsFor } from './words.ts';

export interface SayAs {
  interpretAs: string;
  format?: string | undefined;
}

const MAX_LENGTH = 500;

export function sayAs(written: string, { interpretAs, format }: SayAs, language: string): string {
  const text = written.replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH);
  if (text === '') return '';
  const kind = interpretAs.toLowerCase();
  const words = wordsFor(language);
  const read = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  const said = words && read?.(text, words, language, format || undefined);
  return said ?? plainly(text, kind);
}

type Reader = (text: string, words: NumberWords, language: string, format: string | undefined) => string | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  characters: (text, words) => characters(text, words),
  'spell-out': (text, words) => characters(text, words),
  verbatim: (text, words) => characters(text, words),
  cardinal: (text, words) => cardinal(text, words),
  number: (text, words) => cardinal(text, words),
  ordinal: (text, words) => ordinal(text, words),
  number_digit: (text, words) => spokenDigits(text, words),
  digits: (text, words) => spokenDigits(text, words),
  fraction: (text, words) => fraction(text, words) ?? cardinal(text, words),
  date: (text, words, language, format) => date(text, format, words, language),
  time: (text, words, _language, format) => time(text, format, words),
  duration: (text, words, _language, format) => duration(text, format, words),
  telephone: (text, words, _language, format) => telephone(text, format, words),
  currency: (text, words) => currency(text, words),
  address: (text, words) => address(text, words),
  name: (text) => text,
};

/**
 * Leaves the text to the engine if the language has no word table. Text to be spelled is only separated into characters.
 */
function plainly(text: string, interpretAs: string): string {
  const apart = ['characters', 'spell-out', 'verbatim', 'number_digit', 'digits', 'telephone'];
  return apart.includes(interpretAs) ? [...text.replace(/\s/g, '')].join(', ') : text;
}

/** Characters one by one with short pauses. Letters are upper case, so that none is read as a word. */
function characters(text: string, words: NumberWords): string {
  const names = [...text.normalize('NFC')]
    .filter((character) => character.trim() !== '')
    .map((character) => {
      if (/\d/.test(character)) return words.cardinal(character);
      if (Object.hasOwn(words.symbols, character)) return words.symbols[character]!;
      return character.toLocaleUpperCase(words.language);
    });
  return names.join(', ');
}

/** Digits with pauses between the written groups. */
function spokenDigits(text: string, words: NumberWords): string | undefined {
  const groups = text.match(/\d+/g);
  return groups?.map((group) => digits(group, words)).join(', ');
}

/** `+49 30 1234567`: grouped as written, long groups by threes. `format` is the country code. */
function telephone(text: string, format: string | undefined, words: NumberWords): string | undefined {
  if (!/^[+\d\s().,/*#x-]+$/i.test(text) || !/\d/.test(text)) return undefined;
  const country = format?.replace(/\D/g, '');
  const groups = (text.match(/\d+|\*|#|x/gi) ?? []).flatMap((group) => (/^\d/.test(group) ? inThrees(group) : [group]));
  const said = groups.map(
    (group) => words.symbols[group] ?? (group.toLowerCase() === 'x' ? 'x' : digits(group, words)),
  );
  const isWhole = text.trim().startsWith('+');
  const front = isWhole ? `${words.plus} ` : country ? `${words.plus} ${digits(country, words)}, ` : '';
  return `${front}${said.join(', ')}`;
}

/** Up to four digits stay together; the last group of a longer number has three or four. */
function inThrees(row: string): string[] {
  const groups: string[] = [];
  let rest = row;
  while (rest.length > 4) {
    groups.push(rest.slice(0, 3));
    rest = rest.slice(3);
  }
  return rest === '' ? groups : [...groups, rest];
}

/** House numbers are read as numbers, post codes as digits; lines and commas are pauses. */
function address(text: string, words: NumberWords): string {
  return text
    .replace(/\s*[\n;]\s*/g, ', ')
    .replace(/(?<![\d.,])\d{5,10}(?![\d.,]\d)/g, (code) => digits(code, words))
    .replace(/(?<![\d.,])\d{1,4}(?![\d.,]\d)/g, (number) =>
      number.startsWith('0') ? digits(number, words) : words.cardinal(number),
    );
}
