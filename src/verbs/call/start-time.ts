/** Start time of a placed call, in milliseconds since the epoch. */
import { offsetAt } from '../../base/core/time-zone.ts';
import { dayIn, daysLater } from '../../language/spoken/calendar.ts';

const MINUTE_MS = 60_000;

/**
 * `at`: `07:30`, which is the next such time, or a date and time, without an offset in the time zone. A time that daylight
 * saving skips is an hour later. Undefined if there is no such time or zone.
 */
export function startTime(at: string, zone: string, nowMs: number): number | undefined {
  if (/(Z|[+-]\d\d:\d\d)$/.test(at)) return finite(Date.parse(at));
  if (at.includes('T')) return inZone(at, zone);
  const today = dayIn(zone, nowMs);
  const next = inZone(`${today}T${at}`, zone);
  return next !== undefined && next <= nowMs ? inZone(`${daysLater(today, 1)}T${at}`, zone) : next;
}

function inZone(local: string, zone: string): number | undefined {
  const asUtc = finite(Date.parse(`${local}Z`));
  if (asUtc === undefined) return undefined;
  const first = offsetMs(asUtc, zone);
  const second = first === undefined ? undefined : offsetMs(asUtc - first, zone);
  return second === undefined ? undefined : asUtc - second;
}

function offsetMs(atMs: number, zone: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(offsetAt(atMs, zone) ?? '') ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
