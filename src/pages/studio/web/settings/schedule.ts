/** Opening hours of a week. Pure; used by `schedules.tsx`. */
import type { Json } from '../../../../base/core/json.ts';
import { pageLocale } from '../../../shared/web/words/translate.ts';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAY_FORMAT = new Intl.DateTimeFormat(pageLocale() ?? 'en', { weekday: 'short', timeZone: 'UTC' });
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
export type Day = (typeof DAYS)[number];

/** Display name of a day: `Mon`. */
/** `Mon`. Another word is shown as it is written. */
export function nameOfDay(day: string): string {
  const index = DAYS.indexOf(day as Day);
  return index < 0 ? `${day.slice(0, 1).toUpperCase()}${day.slice(1)}` : DAY_FORMAT.format(MONDAY + index * DAY_MS);
}

export interface Opening {
  days: readonly Day[];
  /** `09:00`. */
  from: string;
  /** `24:00` is midnight. A time before `from` is on the next day. */
  to: string;
}

export interface Holiday {
  /** `2026-12-25`. In a form, also what is typed. */
  date: string;
  name?: string;
}

export interface Schedule {
  timezone: string;
  open: readonly Opening[];
  holidays: readonly Holiday[];
}

export const NEW_SCHEDULE: Schedule = {
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
  open: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
  holidays: [],
};

export function readSchedule(written: Record<string, Json>): Schedule {
  const openings = Array.isArray(written['open']) ? written['open'] : [];
  const holidays = Array.isArray(written['holidays']) ? written['holidays'] : [];
  return {
    timezone: String(written['timezone'] ?? 'UTC'),
    open: openings.map((each) => {
      const { days, from, to } = each as Record<string, Json>;
      return { days: daysOf(days), from: String(from), to: String(to) };
    }),
    holidays: holidays.map((each) => (typeof each === 'string' ? { date: each } : (each as unknown as Holiday))),
  };
}

/** Parses `mon-fri` or `[mon, sat-sun]`. Without days, all days are meant. */
export function daysOf(written: Json | undefined): Day[] {
  if (written === undefined || written === null) return [...DAYS];
  const ranges = [written].flat().map(String);
  const found = new Set(ranges.flatMap(daysOfRange));
  return DAYS.filter((day) => found.has(day));
}

/** A range such as `sat-mon` continues in the next week. */
function daysOfRange(range: string): Day[] {
  const [first, last = first] = range.split('-') as [Day, Day?];
  const from = DAYS.indexOf(first);
  const to = DAYS.indexOf(last);
  if (from < 0 || to < 0) return [];
  const count = ((to - from + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, index) => DAYS[(from + index) % DAYS.length]!);
}

/** Schedule for the API; consecutive days become ranges. */
export function writtenSchedule({ timezone, open, holidays }: Schedule): Record<string, Json> {
  return {
    timezone,
    open: open.map(({ days, from, to }) => ({
      ...(days.length === DAYS.length ? {} : { days: rangesOf(days) }),
      from,
      to,
    })),
    ...(holidays.length === 0
      ? {}
      : { holidays: holidays.map(({ date, name }) => (name === undefined || name === '' ? date : { date, name })) }),
  };
}

export function rangesOf(days: readonly Day[]): string[] {
  const ranges: string[] = [];
  for (let at = 0; at < DAYS.length; at++) {
    if (!days.includes(DAYS[at]!)) continue;
    let end = at;
    while (end + 1 < DAYS.length && days.includes(DAYS[end + 1]!)) end += 1;
    ranges.push(end === at ? DAYS[at]! : `${DAYS[at]}-${DAYS[end]}`);
    at = end;
  }
  return ranges;
}

export interface Bar {
  day: Day;
  /** Minutes since the start of the day. */
  fromMinute: number;
  toMinute: number;
  text: string;
}

const DAY_MINUTES = 1440;

/** Bars of the drawing. Opening hours across midnight are two bars. */
export function barsOf(open: readonly Opening[]): Bar[] {
  return open.flatMap(({ days, from, to }) => {
    const fromMinute = minuteOf(from);
    const toMinute = minuteOf(to);
    const text = `${from}–${to}`;
    if (Number.isNaN(fromMinute) || Number.isNaN(toMinute)) return [];
    return days.flatMap((day): Bar[] => {
      if (toMinute > fromMinute) return [{ day, fromMinute, toMinute, text }];
      const next = DAYS[(DAYS.indexOf(day) + 1) % DAYS.length]!;
      const late: Bar = { day, fromMinute, toMinute: DAY_MINUTES, text };
      return toMinute === 0 ? [late] : [late, { day: next, fromMinute: 0, toMinute, text }];
    });
  });
}

function minuteOf(time: string): number {
  const found = /^(\d{2}):(\d{2})$/.exec(time);
  return found ? Number(found[1]) * 60 + Number(found[2]) : Number.NaN;
}

export const shareOfDay = (minute: number): string => `${(minute / DAY_MINUTES) * 100}%`;
