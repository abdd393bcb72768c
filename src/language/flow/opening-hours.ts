/** Opening hours on the wall clock of their time zone, for schedules of flows and dialling windows of broadcasts. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export type HoursState = 'open' | 'closed' | 'holiday';

/** A moment on the clock of a time zone. */
export interface WallClock {
  /** `2026-12-25`. */
  date: string;
  /** 0 for Sunday. */
  day: number;
  /** `09:30`. */
  time: string;
}

/** State at this moment, by the wall clock of the schedule's time zone. */
export const stateAt = (hours: JsonObject, nowMs: number): HoursState =>
  stateOn(hours, clockAt(nowMs, text(hours['timezone'], 'UTC')));

/** State at a moment on the wall clock of the schedule's time zone. */
export function stateOn(hours: JsonObject, { date, day, time }: WallClock): HoursState {
  const holidays = list(hours['holidays']).map((holiday) => text(isObject(holiday) ? holiday['date'] : holiday));
  if (holidays.includes(date)) return 'holiday';
  const yesterday = (day + 6) % 7;
  const open = list(hours['open']).some((written) => {
    if (!isObject(written)) return false;
    const days = daysOf(written['days']);
    const from = text(written['from'], '00:00');
    const to = text(written['to'], '24:00');
    if (from < to) return days.has(day) && from <= time && time < to;
    // Past midnight: the late part belongs to the day on which it began; no opening begins on a holiday.
    if (days.has(day) && time >= from) return true;
    return days.has(yesterday) && time < to && !holidays.includes(dayBefore(date));
  });
  return open ? 'open' : 'closed';
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** Cached per zone, because the creation is the most expensive part. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timeZone, clock);
  }
  return clock;
}

function wallClock(nowMs: number, timeZone: string): WallClock {
  const parts = clockOf(timeZone).formatToParts(nowMs);
  const part = (type: string): string => parts.find((each) => each.type === type)!.value;
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    day: DAYS.indexOf(part('weekday').toLowerCase()),
    time: `${part('hour')}:${part('minute')}`,
  };
}

/** Shifts at the end of daylight saving time, in minutes: an hour; on Lord Howe Island half an hour. */
const SHIFTS_MIN = [60, 30];
const MINUTE_MS = 60_000;

/**
 * Wall clock without repetition: when clocks are set back, a part of the day occurs twice. During the second pass, the
 * latest time of the first pass applies, so that an opening within this part is open once, and one that began in it
 * stays open.
 */
export function clockAt(nowMs: number, timeZone: string): WallClock {
  const now = wallClock(nowMs, timeZone);
  const shift = SHIFTS_MIN.find((minutes) => wallClock(nowMs - minutes * MINUTE_MS, timeZone).time === now.time);
  if (shift === undefined) return now;
  let latest = now.time;
  for (let minutes = 1; minutes < shift; minutes += 1) {
    const { time, date } = wallClock(nowMs - minutes * MINUTE_MS, timeZone);
    if (date === now.date && time > latest) latest = time;
  }
  return { ...now, time: latest };
}

/** Parses `mon`, `mon-fri`, `fri-mon` or a list of these to day numbers, 0 for Sunday; all days if absent. */
export function daysOf(written: Json | undefined): Set<number> {
  const entries = list(written).map((entry) => text(entry).toLowerCase());
  if (entries.length === 0) return new Set(DAYS.keys());
  const days = new Set<number>();
  for (const entry of entries) {
    const [first, last = first] = entry.split('-').map((name) => DAYS.indexOf(name.slice(0, 3)));
    if (first === undefined || last === undefined || first < 0 || last < 0) continue;
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === last) break;
    }
  }
  return days;
}

const text = (value: Json | undefined, fallback = ''): string => (typeof value === 'string' ? value : fallback);
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
