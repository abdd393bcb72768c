/** Durations as people say them, in the language of the page: `1 minute 30 seconds` is `1m30s` in a flow. Pure. */
import { pageLocale } from '../../../shared/web/words/translate.ts';

/** Units of the flow language, with their names for `Intl`. Days are read, and written as hours. */
const UNITS = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' } as const;
type Unit = keyof typeof UNITS;

const LENGTH: Readonly<Record<Unit, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Unit of a number that follows another unit: seconds after minutes. */
const FINER: Readonly<Partial<Record<Unit, Unit>>> = { d: 'h', h: 'm', m: 's', s: 'ms' };
/** Abbreviations of everyday writing, which no locale data has. */
const SHORT: readonly (readonly [Unit, readonly string[]])[] = [
  ['ms', ['ms', 'msec', 'msek']],
  ['s', ['s', 'sec', 'secs', 'sek']],
  ['m', ['m', 'min', 'mins', 'mn']],
  ['h', ['h', 'hr', 'hrs', 'std']],
  ['d', ['d']],
];
/** Counts whose words differ in some language: Arabic has forms for one, two, few and many. */
const COUNTS = [0, 1, 2, 3, 11, 100, 1.5];

interface UnitWord {
  unit: Unit;
  /** Count that the word contains, such as two of `ثانيتان`. */
  count: number | undefined;
}

const wordsByLocale = new Map<string, ReadonlyMap<string, UnitWord>>();

/** Words for units in English and in the language of the page. */
function unitWords(): ReadonlyMap<string, UnitWord> {
  const locale = pageLocale() ?? 'en';
  let words = wordsByLocale.get(locale);
  if (words === undefined) {
    const found = new Map<string, UnitWord>(
      SHORT.flatMap(([unit, each]) => each.map((word) => [word, { unit, count: undefined }] as const)),
    );
    for (const language of ['en', locale]) addWords(found, language);
    wordsByLocale.set(locale, found);
    words = found;
  }
  return words;
}

function addWords(found: Map<string, UnitWord>, locale: string): void {
  for (const unit of Object.keys(UNITS) as Unit[]) {
    for (const unitDisplay of ['long', 'short', 'narrow'] as const) {
      for (const count of COUNTS) {
        const parts = new Intl.NumberFormat(locale, formatOf(unit, unitDisplay)).formatToParts(count);
        const word = plainWord(parts.find(({ type }) => type === 'unit')?.value ?? '');
        const isCounted = parts.some(({ type }) => type === 'integer');
        const known = found.get(word);
        // Arabic has a word for one and for eleven, which only the number tells apart.
        if (word !== '' && (known === undefined || (!isCounted && known.unit === unit)))
          found.set(word, { unit, count: known?.count ?? (isCounted ? undefined : count) });
      }
    }
  }
}

const formatOf = (unit: Unit, unitDisplay: 'long' | 'short' | 'narrow') =>
  ({ style: 'unit', unit: UNITS[unit], unitDisplay, useGrouping: false, maximumFractionDigits: 3 }) as const;

const plainWord = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll(/[.\s]+/g, ' ')
    .trim();

/** `1:30` are minutes and seconds, `1:00:00` hours. */
const CLOCK = /^(?:(\d{1,3}):)?(\d{1,3}):(\d{2})$/;
const TOKEN = /(\d+(?:[.,]\d+)?)|([\p{L}\p{M}]+)\.?|([,;])|\s+/gu;
/** Words between two parts. The Arabic one is written together with the word after it. */
const JOINTS = [',', ';', 'and', 'und', 'et', 'و'];

/** Milliseconds of a written duration. Undefined if it is none. */
export function readDuration(written: string): number | undefined {
  const text = latinDigits(written).trim().toLowerCase();
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [, hours = '0', minutes, seconds] = clock;
    return Number(seconds) > 59 ? undefined : (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  }
  const tokens = tokensOf(text);
  if (tokens === undefined || tokens.length === 0) return undefined;
  let total = 0;
  let before: Unit | undefined;
  for (let at = 0; at < tokens.length; ) {
    while (before !== undefined && JOINTS.includes(tokens[at]!)) at += 1;
    const part = partAt(tokens.slice(at), before);
    if (part === undefined) return undefined;
    total += part.count * LENGTH[part.unit];
    before = part.unit;
    at += part.tokens;
  }
  return Math.round(total);
}

/** Numbers, words and joints of a text. Undefined if it contains anything else. */
function tokensOf(text: string): string[] | undefined {
  const tokens = [...text.matchAll(TOKEN)];
  const length = tokens.reduce((sum, [token]) => sum + token.length, 0);
  if (length !== text.length) return undefined;
  return tokens.flatMap(([, number, word, joint]) => number ?? word ?? joint ?? []);
}

/** The number and the unit that a text begins with. A number without a unit has the next finer one. */
function partAt(
  [first, ...rest]: readonly string[],
  before: Unit | undefined,
): { unit: Unit; count: number; tokens: number } | undefined {
  if (first === undefined) return undefined;
  if (!/^\d/.test(first)) {
    const found = wordAt([first, ...rest]);
    return found?.count === undefined ? undefined : { unit: found.unit, count: found.count, tokens: found.tokens };
  }
  const count = Number(first.replace(',', '.'));
  const found = wordAt(rest);
  if (found !== undefined) return { unit: found.unit, count, tokens: 1 + found.tokens };
  const unit = before && FINER[before];
  const isWord = rest[0] !== undefined && !/^\d/.test(rest[0]) && !JOINTS.includes(rest[0]);
  return unit === undefined || isWord ? undefined : { unit, count, tokens: 1 };
}

/** The unit that a text begins with. Some have two words. */
function wordAt([first = '', second = '']: readonly string[]): (UnitWord & { tokens: number }) | undefined {
  const words = unitWords();
  for (const word of first.startsWith('و') ? [first, first.slice(1)] : [first]) {
    const pair = words.get(`${word} ${second}`);
    if (pair !== undefined) return { ...pair, tokens: 2 };
    const single = words.get(word);
    if (single !== undefined) return { ...single, tokens: 1 };
  }
  return undefined;
}

/** Text with the digits 0 to 9. Arabic keyboards type Arabic ones. */
export const latinDigits = (text: string): string =>
  text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll('٫', '.')
    .replaceAll('،', ',');

/** Shortest form in a flow: `1m30s`, `500ms`. */
export function writeDuration(ms: number): string {
  const parts = partsOf(ms).map(([count, unit]) => `${count}${unit}`);
  return parts.length === 0 ? '0s' : parts.join('');
}

/** As people read it, in the language of the page: `1 minute 30 seconds`. */
export function sayDuration(written: string): string {
  const ms = readDuration(written);
  if (ms === undefined) return written;
  const locale = pageLocale() ?? 'en';
  const parts = partsOf(ms);
  const words = (parts.length === 0 ? [[0, 's'] as const] : parts).map(([count, unit]) =>
    new Intl.NumberFormat(locale, formatOf(unit, 'long')).format(count),
  );
  return new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' }).format(words);
}

/** A second and a half is one part, `1.5s`. */
function partsOf(ms: number): (readonly [number, Unit])[] {
  const seconds = (ms % LENGTH.m) / 1000;
  const rest: readonly [number, Unit] = seconds > 0 && seconds < 1 ? [ms % 1000, 'ms'] : [seconds, 's'];
  const parts: readonly (readonly [number, Unit])[] = [
    [Math.floor(ms / LENGTH.h), 'h'],
    [Math.floor((ms % LENGTH.h) / LENGTH.m), 'm'],
    rest,
  ];
  return parts.filter(([count]) => count > 0);
}
