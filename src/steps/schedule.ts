import { fault } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { list, text } from './arguments.ts';
import { defineStep } from './step.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const schedule = defineStep({
  verb: 'schedule',
  outcomes: () => ['open', 'closed', 'holiday'],
  async run(context) {
    const { input } = context;
    const hours = typeof input === 'string' ? context.schedule(input) : input;
    if (!isObject(hours)) {
      return { outcome: 'error', fault: fault('unknown_schedule', `there is no schedule ${String(input)}`) };
    }
    const zone = text(hours['timezone'], 'UTC');
    if (!isTimeZone(zone)) {
      return { outcome: 'error', fault: fault('unknown_timezone', `there is no time zone ${zone}`) };
    }
    return { outcome: stateAt(hours, context.now()) };
  },
});

/** `open`, `closed` or `holiday` at this moment, by the wall clock of the schedule's time zone. */
export function stateAt(hours: JsonObject, nowMs: number): 'open' | 'closed' | 'holiday' {
  const { date, day, time } = wallClock(nowMs, text(hours['timezone'], 'UTC'));
  const holidays = list(hours['holidays']).map((holiday) => text(isObject(holiday) ? holiday['date'] : holiday));
  if (holidays.includes(date)) return 'holiday';
  const yesterday = (day + 6) % 7;
  const open = list(hours['open']).some((written) => {
    if (!isObject(written)) return false;
    const days = daysOf(written['days']);
    const from = text(written['from'], '00:00');
    const to = text(written['to'], '24:00');
    if (from < to) return days.has(day) && from <= time && time < to;
    // Past midnight: the late part belongs to the day on which it began; on a holiday nothing begins.
    if (days.has(day) && time >= from) return true;
    return days.has(yesterday) && time < to && !holidays.includes(dayBefore(date));
  });
  return open ? 'open' : 'closed';
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

function wallClock(nowMs: number, timeZone: string): { date: string; day: number; time: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(nowMs);
  const part = (type: string): string => parts.find((each) => each.type === type)!.value;
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    day: DAYS.indexOf(part('weekday').toLowerCase()),
    time: `${part('hour')}:${part('minute')}`,
  };
}

/** `mon`, `mon-fri`, `fri-mon` or a list of these → day numbers, 0 for Sunday; all days when not written. */
function daysOf(written: Json | undefined): Set<number> {
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
