/**
 * Reads a date that a caller keyed or said, as an ISO date. Undefined if it is not a date, if there is no such day, or
 * if the day is outside of the accepted period. A missing year or century is chosen so that the date is in the period.
 */
import { daysLater, isoDate, weekdayOf } from './calendar.ts';
import { type HeardLanguage, heardLanguage, heardWords } from './heard-words.ts';

export type DateOrder = 'dmy' | 'mdy' | 'ymd';

export interface DateRules {
  /** Order in which keys and plain numbers give the parts. */
  order: DateOrder;
  /** `past` and `future` include today. */
  range?: 'past' | 'future' | undefined;
  earliest?: string | undefined;
  latest?: string | undefined;
  /** The day of the caller. */
  today: string;
}

export interface DateParts {
  day: number;
  month: number;
  /** Absent: the next or the last such day. Below 100: without the century. */
  year?: number;
}

const CENTURIES = [1900, 2000];
/** 29 February occurs once in at most eight years. */
const MAX_YEARS_AWAY = 8;
const WEEK = 7;
const FULL_YEAR = 4;

/** Reads `24122026`, `241226`, `2412`, and `24*12*2026` with separators. */
export function dateFromKeys(typed: string, rules: DateRules): string | undefined {
  const fields = typed.includes('*') ? typed.split('*') : fieldsByWidth(typed, rules.order);
  const parts = fields && partsInOrder(fields, rules.order);
  return parts && resolveDate(parts, rules);
}

export function dateFromWords(said: string, language: string, rules: DateRules): string | undefined {
  const written = /^\D*(\d{4})-(\d{1,2})-(\d{1,2})\D*$/.exec(said)?.slice(1);
  if (written) return resolveDate(partsInOrder(written, 'ymd')!, rules);
  const numbers = /^[^\d]*(\d{1,4})\s?[./-]\s?(\d{1,2})(?:\s?[./-]\s?(\d{2,4}))?[^\d]*$/.exec(said)?.slice(1);
  const numeric = numbers && partsInOrder(numbers.filter(Boolean), rules.order);
  if (numeric) return resolveDate(numeric, rules);
  const reader = heardLanguage(language);
  if (!reader) return undefined;
  const { skip, zero } = reader.phrases;
  const words = heardWords(said).filter((word) => !skip.includes(word) || zero.includes(word));
  const parts = namedMonth(words, reader, language) ?? spokenNumbers(words, reader, rules.order);
  return parts ? resolveDate(parts, rules) : relativeDay(words, reader, language, rules);
}

/** Chooses the year that is missing, and checks the day. */
export function resolveDate({ day, month, year }: DateParts, rules: DateRules): string | undefined {
  const years = year === undefined ? yearsAround(rules) : year < 100 ? CENTURIES.map((each) => each + year) : [year];
  const days = years
    .flatMap((each) => isoDate(each, month, day) ?? [])
    .filter((date) => isInPeriod(date, rules))
    .sort();
  if (year === undefined) return rules.range === 'past' ? days.at(-1) : days.find((date) => date >= rules.today);
  const nearest = (date: string): number => Math.abs(Date.parse(date) - Date.parse(rules.today));
  return days.sort((one, other) => nearest(one) - nearest(other))[0];
}

const yearsAround = ({ today }: DateRules): number[] => {
  const year = Number(today.slice(0, 4));
  return Array.from({ length: 2 * MAX_YEARS_AWAY + 1 }, (_, index) => year - MAX_YEARS_AWAY + index);
};

function isInPeriod(date: string, { range, earliest, latest, today }: DateRules): boolean {
  if (range === 'past' && date > today) return false;
  if (range === 'future' && date < today) return false;
  return !((earliest !== undefined && date < earliest) || (latest !== undefined && date > latest));
}

// Keys

function fieldsByWidth(typed: string, order: DateOrder): string[] | undefined {
  const withoutYear = order.replace('y', '');
  const letters = typed.length === 4 ? withoutYear : typed.length === 6 || typed.length === 8 ? order : undefined;
  if (letters === undefined) return undefined;
  const yearWidth = typed.length - 4;
  let at = 0;
  return [...letters].map((letter) => {
    const from = at;
    at += letter === 'y' ? yearWidth : 2;
    return typed.slice(from, at);
  });
}

/** Fields without a year are in the same order. */
function partsInOrder(fields: readonly string[], order: DateOrder): DateParts | undefined {
  const letters = fields.length === 2 ? order.replace('y', '') : order;
  if (fields.length !== letters.length || fields.some((field) => !/^\d+$/.test(field))) return undefined;
  const at = (letter: string): string | undefined => fields[letters.indexOf(letter)];
  const [day, month, year] = [at('d')!, at('m')!, at('y')];
  if (day.length > 2 || month.length > 2) return undefined;
  if (year !== undefined && year.length !== 2 && year.length !== FULL_YEAR) return undefined;
  return { day: Number(day), month: Number(month), ...(year !== undefined && { year: Number(year) }) };
}

// Words

/** Names of months or of weekdays, in the words of a recogniser. */
function namesOf(language: string, what: 'month' | 'weekday'): Map<string, number> {
  const names = new Map<string, number>();
  const count = what === 'month' ? 12 : WEEK;
  for (let index = 0; index < count; index++) {
    // 4 January 1970 was a Sunday.
    const date = what === 'month' ? Date.UTC(2026, index, 15) : Date.UTC(1970, 0, 4 + index);
    for (const width of ['long', 'short'] as const) {
      for (const tag of [language, language.split('-')[0]!]) {
        const text = new Intl.DateTimeFormat(tag, { [what]: width, timeZone: 'UTC' }).format(date);
        const word = heardWords(text).join('');
        if (!names.has(word)) names.set(word, index);
      }
    }
  }
  return names;
}

const namesByLanguage = new Map<string, { months: Map<string, number>; weekdays: Map<string, number> }>();

function calendarNames(language: string): { months: Map<string, number>; weekdays: Map<string, number> } {
  const known = namesByLanguage.get(language);
  if (known) return known;
  const made = { months: namesOf(language, 'month'), weekdays: namesOf(language, 'weekday') };
  namesByLanguage.set(language, made);
  return made;
}

/** The twenty-fourth of December, twenty twenty-six. */
function namedMonth(words: readonly string[], reader: HeardLanguage, language: string): DateParts | undefined {
  const { months } = calendarNames(language);
  const at = words.findIndex((word) => months.has(word));
  if (at < 0) return undefined;
  const month = months.get(words[at]!)! + 1;
  const before = lastDay(words.slice(0, at), reader);
  const first = before === undefined ? reader.day(words, at + 1) : undefined;
  const day = before ?? first?.value;
  if (day === undefined) return undefined;
  const rest = words.slice(at + 1 + (first?.words ?? 0));
  const year = rest.length === 0 ? undefined : reader.year(rest, 0);
  if (year === undefined && rest.some((_, index) => reader.number(rest, index))) return undefined;
  return { day, month, ...(year && { year: year.value }) };
}

/** The day directly before the month. */
function lastDay(words: readonly string[], reader: HeardLanguage): number | undefined {
  for (let from = 0; from < words.length; from++) {
    const day = reader.day(words, from);
    if (!day || from + day.words !== words.length) continue;
    // The second word of thirty-second is not a day.
    return from > 0 && reader.number(words, from - 1) ? undefined : day.value;
  }
  return undefined;
}

/** Twenty-four twelve twenty twenty-six. */
function spokenNumbers(words: readonly string[], reader: HeardLanguage, order: DateOrder): DateParts | undefined {
  const spoken = order === 'ymd' ? 'dmy' : order;
  const first = reader.day(words, 0);
  const second = first && reader.day(words, first.words);
  if (!second) return undefined;
  const at = first.words + second.words;
  const year = at < words.length ? reader.year(words, at) : undefined;
  if (at + (year?.words ?? 0) !== words.length) return undefined;
  const [day, month] = spoken === 'dmy' ? [first.value, second.value] : [second.value, first.value];
  return { day, month, ...(year && { year: year.value }) };
}

/** Tomorrow, or a weekday: the next one, or the last one if the period is the past. */
function relativeDay(
  words: readonly string[],
  { phrases }: HeardLanguage,
  language: string,
  rules: DateRules,
): string | undefined {
  const said = ` ${words.join(' ')} `;
  const [phrase] = Object.keys(phrases.days)
    .filter((each) => said.includes(` ${withoutSkipped(each, phrases.skip)} `))
    .sort((one, other) => other.length - one.length);
  if (phrase !== undefined) return within(daysLater(rules.today, phrases.days[phrase]!), rules);
  const { weekdays } = calendarNames(language);
  const weekday = words.map((word) => weekdays.get(word)).find((each) => each !== undefined);
  if (weekday === undefined) return undefined;
  const isPast = rules.range === 'past' || words.some((word) => phrases.last.includes(word));
  const ahead = (weekday - weekdayOf(rules.today) + WEEK) % WEEK || WEEK;
  return within(daysLater(rules.today, isPast ? (ahead === WEEK ? -WEEK : ahead - WEEK) : ahead), rules);
}

const withoutSkipped = (phrase: string, skip: readonly string[]): string =>
  phrase
    .split(' ')
    .filter((word) => !skip.includes(word))
    .join(' ');

const within = (date: string, rules: DateRules): string | undefined => (isInPeriod(date, rules) ? date : undefined);
