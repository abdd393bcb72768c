/** Parses a point in time: a date, a time, a named day, or a duration before now. */
import { systemClock } from '../base/core/clock.ts';
import { parseDuration } from '../base/core/duration.ts';
import { UsageError } from './terminal.ts';

/** Point in time for the admin API: a date or a time in ISO 8601. `option` is the name in messages. */
export function momentOf(written: string | undefined, option: string): string | undefined {
  if (written === undefined || /^\d{4}-\d{2}-\d{2}/.test(written)) return written;
  if (written === 'today') return midnight(0);
  if (written === 'yesterday') return midnight(1);
  const agoMs = parseDuration(written);
  if (agoMs === undefined) throw noMoment(option);
  return new Date(systemClock.now() - agoMs).toISOString();
}

/** Point in time in ms since the epoch. */
export function momentMsOf(written: string, option: string): number {
  const atMs = Date.parse(momentOf(written, option)!);
  if (Number.isNaN(atMs)) throw noMoment(option);
  return atMs;
}

const noMoment = (option: string): UsageError =>
  new UsageError(
    `${option} is not a date and time`,
    'such as yesterday, 2026-03-02, 2026-03-02T09:30:00Z, or 24h for one day ago',
  );

/** Start of a day in local time. */
function midnight(daysAgo: number): string {
  const day = new Date(systemClock.now());
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day.toISOString();
}
