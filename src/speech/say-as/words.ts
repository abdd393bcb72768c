/**
 * What numbers are called, per language: `n2words` with its mistakes put right, and the few words that it does not know.
 * A language that is not here is spoken by the engine itself, from digits.
 */
import { toCardinal as cardinalDe, toOrdinal as ordinalDe } from 'n2words/de-DE';
import { toCardinal as cardinalGb } from 'n2words/en-GB';
import { toCardinal as cardinalEn, toOrdinal as ordinalEn } from 'n2words/en-US';
import { toCardinal as cardinalEs, toOrdinal as ordinalEs } from 'n2words/es-ES';
import { toCardinal as cardinalFr, toOrdinal as ordinalFr } from 'n2words/fr-FR';
import { toCardinal as cardinalIt, toOrdinal as ordinalIt } from 'n2words/it-IT';

export type Unit = readonly [one: string, many: string];

export interface NumberWords {
  /** The bare language: `en`. */
  language: string;
  /** A whole number of up to 15 digits, with or without a minus. */
  cardinal(whole: string, feminine?: boolean): string;
  /** 1 to 999,999. */
  ordinal(whole: number): string;
  point: string;
  minus: string;
  percent: string;
  plus: string;
  and: string;
  /** One is said before a noun: ein Euro, un euro. */
  oneBefore: { masculine: string; feminine: string };
  hours: Unit;
  minutes: Unit;
  seconds: Unit;
  /** ISO code → main unit, small unit. */
  currencies: Readonly<Record<string, readonly [Unit, Unit]>>;
  half: Unit;
  third: Unit;
  quarter: Unit;
  over: string;
  /** How other denominators are made of an ordinal. */
  denominator(ordinal: string, many: boolean): string;
  symbols: Readonly<Record<string, string>>;
}

const SYMBOL_NAMES = '. , - _ @ / # * + & : ; ! ?'.split(' ');
const symbolsOf = (...names: string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(SYMBOL_NAMES.map((symbol, index) => [symbol, names[index]!]));

const ENGLISH: NumberWords = {
  language: 'en',
  cardinal: (whole) => cardinalEn(whole),
  ordinal: (whole) => ordinalEn(whole),
  point: 'point',
  minus: 'minus',
  percent: 'percent',
  plus: 'plus',
  and: 'and',
  oneBefore: { masculine: 'one', feminine: 'one' },
  hours: ['hour', 'hours'],
  minutes: ['minute', 'minutes'],
  seconds: ['second', 'seconds'],
  currencies: {
    USD: [
      ['dollar', 'dollars'],
      ['cent', 'cents'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['cent', 'cents'],
    ],
    GBP: [
      ['pound', 'pounds'],
      ['penny', 'pence'],
    ],
    CHF: [
      ['franc', 'francs'],
      ['centime', 'centimes'],
    ],
    INR: [
      ['rupee', 'rupees'],
      ['paisa', 'paise'],
    ],
    JPY: [
      ['yen', 'yen'],
      ['sen', 'sen'],
    ],
  },
  half: ['half', 'halves'],
  third: ['third', 'thirds'],
  quarter: ['quarter', 'quarters'],
  over: 'over',
  denominator: (ordinal, many) => (many ? `${ordinal}s` : ordinal),
  symbols: symbolsOf(
    ...['dot', 'comma', 'dash', 'underscore', 'at', 'slash', 'pound', 'star', 'plus', 'and', 'colon', 'semicolon'],
    ...['exclamation mark', 'question mark'],
  ),
};

const BRITISH: NumberWords = {
  ...ENGLISH,
  cardinal: (whole) => cardinalGb(whole),
  // The library leaves out the "and" that its cardinals have.
  ordinal: (whole) =>
    whole % 100 === 0 || whole < 100
      ? ordinalEn(whole)
      : `${cardinalGb(whole - (whole % 100))} and ${ordinalEn(whole % 100)}`,
  symbols: { ...ENGLISH.symbols, '#': 'hash' },
};

const GERMAN: NumberWords = {
  language: 'de',
  cardinal: (whole) => cardinalDe(whole),
  ordinal: (whole) => ordinalDe(whole),
  point: 'Komma',
  minus: 'minus',
  percent: 'Prozent',
  plus: 'plus',
  and: 'und',
  oneBefore: { masculine: 'ein', feminine: 'eine' },
  hours: ['Stunde', 'Stunden'],
  minutes: ['Minute', 'Minuten'],
  seconds: ['Sekunde', 'Sekunden'],
  currencies: {
    USD: [
      ['Dollar', 'Dollar'],
      ['Cent', 'Cent'],
    ],
    EUR: [
      ['Euro', 'Euro'],
      ['Cent', 'Cent'],
    ],
    GBP: [
      ['Pfund', 'Pfund'],
      ['Penny', 'Pence'],
    ],
    CHF: [
      ['Franken', 'Franken'],
      ['Rappen', 'Rappen'],
    ],
    INR: [
      ['Rupie', 'Rupien'],
      ['Paisa', 'Paise'],
    ],
    JPY: [
      ['Yen', 'Yen'],
      ['Sen', 'Sen'],
    ],
  },
  half: ['halb', 'halbe'],
  third: ['Drittel', 'Drittel'],
  quarter: ['Viertel', 'Viertel'],
  over: 'durch',
  denominator: (ordinal) => `${ordinal[0]!.toUpperCase()}${ordinal.slice(1)}l`,
  symbols: symbolsOf(
    ...['Punkt', 'Komma', 'Strich', 'Unterstrich', 'ät', 'Schrägstrich', 'Raute', 'Stern', 'plus', 'und'],
    ...['Doppelpunkt', 'Strichpunkt', 'Ausrufezeichen', 'Fragezeichen'],
  ),
};

const SPANISH: NumberWords = {
  language: 'es',
  cardinal: (whole, feminine) =>
    cardinalEs(whole, feminine ? { gender: 'feminine' } : {})
      .replace(/\bcienta\b/g, 'ciento')
      .replace(/dieciseis/g, 'dieciséis'),
  ordinal: (whole) => {
    // Written as one word each; the library makes "décimo primero".
    if (whole > 10 && whole < 20)
      return [
        'undécimo',
        'duodécimo',
        'decimotercero',
        'decimocuarto',
        'decimoquinto',
        'decimosexto',
        'decimoséptimo',
        'decimoctavo',
        'decimonoveno',
      ][whole - 11]!;
    return ordinalEs(whole);
  },
  point: 'coma',
  minus: 'menos',
  percent: 'por ciento',
  plus: 'más',
  and: 'y',
  oneBefore: { masculine: 'un', feminine: 'una' },
  hours: ['hora', 'horas'],
  minutes: ['minuto', 'minutos'],
  seconds: ['segundo', 'segundos'],
  currencies: {
    USD: [
      ['dólar', 'dólares'],
      ['centavo', 'centavos'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['céntimo', 'céntimos'],
    ],
    GBP: [
      ['libra', 'libras'],
      ['penique', 'peniques'],
    ],
    CHF: [
      ['franco', 'francos'],
      ['céntimo', 'céntimos'],
    ],
    INR: [
      ['rupia', 'rupias'],
      ['paisa', 'paisas'],
    ],
    JPY: [
      ['yen', 'yenes'],
      ['sen', 'sen'],
    ],
  },
  half: ['medio', 'medios'],
  third: ['tercio', 'tercios'],
  quarter: ['cuarto', 'cuartos'],
  over: 'sobre',
  denominator: (ordinal, many) => (many ? `${ordinal}s` : ordinal),
  symbols: symbolsOf(
    ...['punto', 'coma', 'guion', 'guion bajo', 'arroba', 'barra', 'almohadilla', 'asterisco', 'más', 'y'],
    ...['dos puntos', 'punto y coma', 'exclamación', 'interrogación'],
  ),
};

const FRENCH: NumberWords = {
  language: 'fr',
  cardinal: (whole, feminine) => {
    const words = cardinalFr(whole);
    return feminine ? words.replace(/\bun$/, 'une') : words;
  },
  ordinal: (whole) => ordinalFr(whole),
  point: 'virgule',
  minus: 'moins',
  percent: 'pour cent',
  plus: 'plus',
  and: 'et',
  oneBefore: { masculine: 'un', feminine: 'une' },
  hours: ['heure', 'heures'],
  minutes: ['minute', 'minutes'],
  seconds: ['seconde', 'secondes'],
  currencies: {
    USD: [
      ['dollar', 'dollars'],
      ['cent', 'cents'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['centime', 'centimes'],
    ],
    GBP: [
      ['livre', 'livres'],
      ['penny', 'pence'],
    ],
    CHF: [
      ['franc', 'francs'],
      ['centime', 'centimes'],
    ],
    INR: [
      ['roupie', 'roupies'],
      ['paisa', 'paisas'],
    ],
    JPY: [
      ['yen', 'yens'],
      ['sen', 'sen'],
    ],
  },
  half: ['demi', 'demis'],
  third: ['tiers', 'tiers'],
  quarter: ['quart', 'quarts'],
  over: 'sur',
  denominator: (ordinal, many) => (many ? `${ordinal}s` : ordinal),
  symbols: symbolsOf(
    ...['point', 'virgule', 'tiret', 'tiret bas', 'arobase', 'barre oblique', 'dièse', 'étoile', 'plus', 'et'],
    ...['deux-points', 'point-virgule', "point d'exclamation", "point d'interrogation"],
  ),
};

const ITALIAN: NumberWords = {
  language: 'it',
  cardinal: (whole, feminine) => {
    // Beyond a million the library puts "e" between all groups, and parts what is one word.
    const words = cardinalIt(whole)
      .replace(/(milion[ei]|miliard[oi]) e /g, '$1 ')
      .replace(/(mila|mille) e /g, '$1');
    return feminine ? words.replace(/^uno$/, 'una') : words;
  },
  ordinal: (whole) => ordinalIt(whole),
  point: 'virgola',
  minus: 'meno',
  percent: 'per cento',
  plus: 'più',
  and: 'e',
  oneBefore: { masculine: 'un', feminine: 'una' },
  hours: ['ora', 'ore'],
  minutes: ['minuto', 'minuti'],
  seconds: ['secondo', 'secondi'],
  currencies: {
    USD: [
      ['dollaro', 'dollari'],
      ['centesimo', 'centesimi'],
    ],
    EUR: [
      ['euro', 'euro'],
      ['centesimo', 'centesimi'],
    ],
    GBP: [
      ['sterlina', 'sterline'],
      ['penny', 'pence'],
    ],
    CHF: [
      ['franco', 'franchi'],
      ['centesimo', 'centesimi'],
    ],
    INR: [
      ['rupia', 'rupie'],
      ['paisa', 'paise'],
    ],
    JPY: [
      ['yen', 'yen'],
      ['sen', 'sen'],
    ],
  },
  half: ['mezzo', 'mezzi'],
  third: ['terzo', 'terzi'],
  quarter: ['quarto', 'quarti'],
  over: 'fratto',
  denominator: (ordinal, many) => (many ? ordinal.replace(/o$/, 'i') : ordinal),
  symbols: symbolsOf(
    ...[
      'punto',
      'virgola',
      'trattino',
      'trattino basso',
      'chiocciola',
      'barra',
      'cancelletto',
      'asterisco',
      'più',
      'e',
    ],
    ...['due punti', 'punto e virgola', 'punto esclamativo', 'punto interrogativo'],
  ),
};

/** Nouns that are feminine: una libra, eine Rupie. */
const FEMININE: readonly string[] = [
  ...['Stunde', 'Minute', 'Sekunde', 'Rupie', 'hora', 'libra', 'rupia', 'heure', 'minute', 'seconde', 'livre'],
  ...['roupie', 'ora', 'sterlina', 'paisa'],
];

const LANGUAGES: readonly NumberWords[] = [ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN];

export function wordsFor(language: string): NumberWords | undefined {
  const tag = language.toLowerCase();
  const base = tag.split('-')[0];
  if (base === 'en' && tag !== 'en' && tag !== 'en-us') return BRITISH;
  return LANGUAGES.find((words) => words.language === base);
}

/** `2`, hours → two hours; `1`, Euro → ein Euro */
export function counted(words: NumberWords, whole: string, unit: Unit): string {
  const feminine = FEMININE.includes(unit[0]);
  if (/^0*1$/.test(whole)) return joined(words.oneBefore[feminine ? 'feminine' : 'masculine'], unit[0]);
  const number = words.cardinal(whole, feminine);
  return `${beforeNoun(words, number)} ${unit[1]}`;
}

/** una ora → un'ora */
const joined = (one: string, noun: string): string => (one === 'una' && noun === 'ora' ? "un'ora" : `${one} ${noun}`);

/** veintiuno → veintiún euros, un millón → un millón de euros, ventuno stays; una million d'euros. */
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
