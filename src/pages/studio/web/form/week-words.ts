/** Opening hours of a week in words, as people say and type them: `Mon–Fri 9–12, 13–17; Sat 10–14`. Pure. */
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { readTimeOfDay } from '../settings/dates.ts';
import { DAYS, type Day, nameOfDay } from '../settings/schedule.ts';
import { latinDigits } from './durations.ts';
import { DAY_MINUTES, endOf, type Hours } from './week.ts';

const EVERY_DAY = t('every day');
const CLOSED = t('closed');
/** Words for several days, in English and in the language of the page. */
const SETS: readonly (readonly [words: readonly string[], days: readonly Day[]])[] = [
  [['every day', 'daily', EVERY_DAY], DAYS],
  [['weekdays', t('weekdays')], DAYS.slice(0, 5)],
  [['weekend', 'weekends', t('weekend')], DAYS.slice(5)],
  [['closed', 'never', CLOSED], []],
];
/** Words between the two ends of a range, in the languages of the pages. */
const TO = /(?<=[\s\d])(?:to|until|till|bis|à|إلى|حتى)(?=[\s\d])|[\u2010-\u2015\u2212]/g;
const AND = /(?<=\s)(?:and|und|et|و)(?=\s)/g;

/** `9`, `9:30`, `24`. */
const shortTime = (minute: number): string =>
  minute % 60 === 0 ? String(minute / 60) : `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;

export const timesText = ({ from, to }: Hours): string => `${shortTime(from)}–${shortTime(to)}`;

export function sayWeek(hours: readonly Hours[]): string {
  const plans = new Map<string, Day[]>();
  for (const day of DAYS) {
    const plan = hours
      .filter((each) => each.day === day)
      .map(timesText)
      .join(', ');
    if (plan !== '') plans.set(plan, [...(plans.get(plan) ?? []), day]);
  }
  if (plans.size === 0) return CLOSED;
  return [...plans].map(([plan, days]) => `${daysText(days)} ${plan}`).join('; ');
}

function daysText(days: readonly Day[]): string {
  if (days.length === DAYS.length) return EVERY_DAY;
  const runs: Day[][] = [];
  for (const day of days) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && DAYS.indexOf(day) === DAYS.indexOf(last) + 1) runs.at(-1)!.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) => (run.length === 1 ? nameOfDay(run[0]!) : `${nameOfDay(run[0]!)}–${nameOfDay(run.at(-1)!)}`))
    .join(', ');
}

const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Names of the days in English and in the language of the page. */
const DAY_WORDS: ReadonlyMap<string, Day> = new Map(
  ['en', pageLocale() ?? 'en'].flatMap((locale) =>
    (['long', 'short'] as const).flatMap((weekday) => {
      const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
      return DAYS.map((day, index) => [plainWord(format.format(MONDAY + index * DAY_MS)), day] as const);
    }),
  ),
);

function plainWord(word: string): string {
  return word.toLowerCase().replace(/\.$/, '');
}

const SHORTEST_WORD = 3;
const dayNamed = (word: string): Day | undefined =>
  DAY_WORDS.get(word) ??
  (word.length >= SHORTEST_WORD ? [...DAY_WORDS].find(([name]) => name.startsWith(word))?.[1] : undefined);

const TOKEN = /(\d{1,2}(?:[:.h]\d{2})?h?\s*(?:[ap]\.?m\b\.?)?)|@(\d)|([\p{L}\p{M}]+)\.?|(-)|[,;\s]+/giu;

/** The hours that a text names. Undefined if it is not understood. */
export function readWeek(typed: string): Hours[] | undefined {
  const tokens = tokensOf(typed);
  if (tokens === undefined || tokens.length === 0) return undefined;
  const hours: Hours[] = [];
  let days: Day[] | undefined;
  let isTimed = false;
  for (let at = 0; at < tokens.length; at += 1) {
    const { days: some, time } = tokens[at]!;
    if (some !== undefined) {
      if (isTimed || days === undefined) days = [];
      isTimed = some.length === 0;
      const end = some.length === 1 && tokens[at + 1]?.isTo ? tokens[at + 2]?.days : undefined;
      days.push(...(end?.length === 1 ? daysFrom(some[0]!, end[0]!) : some));
      if (end?.length === 1) at += 2;
    } else if (time !== undefined && days !== undefined && tokens[at + 1]?.isTo) {
      const to = tokens[at + 2]?.time;
      if (to === undefined || time === DAY_MINUTES) return undefined;
      hours.push(...days.map((day) => ({ day, from: time, to })));
      isTimed = true;
      at += 2;
    } else return undefined;
  }
  return isTimed
    ? hours.toSorted(
        (one, other) =>
          DAYS.indexOf(one.day) - DAYS.indexOf(other.day) || one.from - other.from || endOf(one) - endOf(other),
      )
    : undefined;
}

const daysFrom = (first: Day, last: Day): Day[] => {
  const from = DAYS.indexOf(first);
  const count = ((DAYS.indexOf(last) - from + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, index) => DAYS[(from + index) % DAYS.length]!);
};

interface Token {
  days?: readonly Day[];
  /** Minutes of the day. */
  time?: number;
  isTo?: boolean;
}

function tokensOf(typed: string): Token[] | undefined {
  let text = latinDigits(typed).trim().toLowerCase().replaceAll(TO, '-').replaceAll(AND, ',');
  for (const [index, [words]] of SETS.entries()) {
    for (const word of words) text = text.replaceAll(word.toLowerCase(), `@${index}`);
  }
  const found = [...text.matchAll(TOKEN)];
  if (found.reduce((sum, [token]) => sum + token.length, 0) !== text.length) return undefined;
  const tokens: Token[] = [];
  for (const [, time, set, word, to] of found) {
    if (time !== undefined) {
      const [hour, minute] = readTimeOfDay(time.replace(/h(\d{2})/, ':$1').replace(/h\s*$/, ''))?.split(':') ?? [];
      if (hour === undefined) return undefined;
      tokens.push({ time: Number(hour) * 60 + Number(minute) });
    } else if (set !== undefined) tokens.push({ days: SETS[Number(set)]![1] });
    else if (to !== undefined) tokens.push({ isTo: true });
    else if (word !== undefined) {
      const day = dayNamed(word);
      if (day === undefined) return undefined;
      tokens.push({ days: [day] });
    }
  }
  return tokens;
}
