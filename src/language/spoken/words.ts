/**
 * Number words by language: the table `number-words.json`, and numbers of `n2words` with corrections. In other
 * languages, the engine reads digits itself.
 */
import { toCardinal as cardinalDe, toOrdinal as ordinalDe } from 'n2words/de-DE';
import { toCardinal as cardinalGb } from 'n2words/en-GB';
import { toCardinal as cardinalEn, toOrdinal as ordinalEn } from 'n2words/en-US';
import { toCardinal as cardinalEs, toOrdinal as ordinalEs } from 'n2words/es-ES';
import { toCardinal as cardinalFr, toOrdinal as ordinalFr } from 'n2words/fr-FR';
import { toCardinal as cardinalIt, toOrdinal as ordinalIt } from 'n2words/it-IT';
import WORDS from './number-words.json' with { type: 'json' };

/** Singular and plural. */
export type UnitNames = readonly string[];

interface NumberReader {
  /** Language without region: `en`. */
  language: string;
  /** An integer of up to 15 digits, with an optional minus sign. */
  cardinal(whole: string | number, feminine?: boolean): string;
  /** 1 to 999,999. */
  ordinal(whole: number): string;
  /** Forms a denominator without its own name from an ordinal. */
  denominator(ordinal: string, many: boolean): string;
}

export interface NumberWords extends NumberReader, Omit<(typeof WORDS)['en'], 'currencies' | 'feminine' | 'symbols'> {
  /** ISO code → singular and plural of the main unit, singular and plural of the small unit. */
  currencies: Readonly<Record<string, readonly string[]>>;
  /** Feminine units: una libra, eine Rupie. */
  feminine: readonly string[];
  symbols: Readonly<Record<string, string>>;
}

const withS = (ordinal: string, many: boolean): string => (many ? `${ordinal}s` : ordinal);

const ENGLISH: NumberWords = {
  ...WORDS.en,
  language: 'en',
  cardinal: (whole) => cardinalEn(whole),
  ordinal: (whole) => ordinalEn(whole),
  denominator: withS,
};

const BRITISH: NumberWords = {
  ...ENGLISH,
  cardinal: (whole) => cardinalGb(whole),
  // The ordinals of the library lack the "and" of its cardinals.
  ordinal: (whole) =>
    whole % 100 === 0 || whole < 100
      ? ordinalEn(whole)
      : `${cardinalGb(whole - (whole % 100))} and ${ordinalEn(whole % 100)}`,
  symbols: { ...ENGLISH.symbols, '#': 'hash' },
};

const GERMAN: NumberWords = {
  ...WORDS.de,
  language: 'de',
  cardinal: (whole) => cardinalDe(whole),
  ordinal: (whole) => ordinalDe(whole),
  denominator: (ordinal) => `${ordinal[0]!.toUpperCase()}${ordinal.slice(1)}l`,
};

/** 11th to 19th are single words; the library returns "décimo primero". */
const SPANISH_TEENTHS = [
  ...['undécimo', 'duodécimo', 'decimotercero', 'decimocuarto', 'decimoquinto'],
  ...['decimosexto', 'decimoséptimo', 'decimoctavo', 'decimonoveno'],
];

const SPANISH: NumberWords = {
  ...WORDS.es,
  language: 'es',
  cardinal: (whole, feminine) =>
    cardinalEs(whole, feminine ? { gender: 'feminine' } : {})
      .replace(/\bcienta\b/g, 'ciento')
      .replace(/dieciseis/g, 'dieciséis'),
  ordinal: (whole) => SPANISH_TEENTHS[whole - 11] ?? ordinalEs(whole),
  denominator: withS,
};

const FRENCH: NumberWords = {
  ...WORDS.fr,
  language: 'fr',
  cardinal: (whole, feminine) => cardinalFr(whole).replace(/\bun$/, feminine ? 'une' : 'un'),
  ordinal: (whole) => ordinalFr(whole),
  denominator: withS,
};

const ITALIAN: NumberWords = {
  ...WORDS.it,
  language: 'it',
  // Above a million, the library inserts "e" between all groups and splits single words.
  cardinal: (whole, feminine) =>
    cardinalIt(whole)
      .replace(/(milion[ei]|miliard[oi]) e /g, '$1 ')
      .replace(/(mila|mille) e /g, '$1')
      .replace(/^uno$/, feminine ? 'una' : 'uno'),
  ordinal: (whole) => ordinalIt(whole),
  denominator: (ordinal, many) => (many ? ordinal.replace(/o$/, 'i') : ordinal),
};

const LANGUAGES: readonly NumberWords[] = [ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN];

export function wordsFor(language: string): NumberWords | undefined {
  const tag = language.toLowerCase();
  const base = tag.split('-')[0];
  if (base === 'en' && tag !== 'en' && tag !== 'en-us') return BRITISH;
  return LANGUAGES.find((words) => words.language === base);
}

/** `2`, hours → two hours; `1`, Euro → ein Euro */
export function counted(words: NumberWords, whole: string | number, unit: UnitNames): string {
  const [one, many] = unit as [one: string, many: string];
  const feminine = words.feminine.includes(one);
  if (Number(whole) === 1) return joined(words.oneBefore[feminine ? 'feminine' : 'masculine'], one);
  return `${beforeNoun(words, words.cardinal(whole, feminine))} ${many}`;
}

/** una ora → un'ora */
const joined = (one: string, noun: string): string => (one === 'una' && noun === 'ora' ? "un'ora" : `${one} ${noun}`);

/** veintiuno → veintiún euros, un millón → un millón de euros, ventuno stays; une million d'euros. */
function beforeNoun({ language }: NumberWords, number: string): string {
  if (language === 'es') {
    const short = number.replace(/veintiuno$/, 'veintiún').replace(/\buno$/, 'un');
    return /mill(ón|ones)$/.test(short) ? `${short} de` : short;
  }
  if (language === 'fr' && /(million|milliard)s?$/.test(number)) return `${number} de`;
  if (language === 'it' && /(milion|miliard)[eio]$/.test(number)) return `${number} di`;
  if (language === 'de') return number.replace(/hunderteins$/, 'hundertein').replace(/tausendeins$/, 'tausendein');
  return number;
}
