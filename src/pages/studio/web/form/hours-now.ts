/** The next change of opening hours, and moments that an author types. Pure; `hours-moment.tsx` shows them. */
import type { JsonObject } from '../../../../base/core/json.ts';
import { isObject, type Json } from '../../../../base/core/json.ts';
import { type HoursState, stateOn, type WallClock } from '../../../../language/flow/opening-hours.ts';

/** The longest span in which the next change is looked for, in days. */
const DAYS_AHEAD = 15;

/** The next moment at which another state begins. Undefined if none does within two weeks. */
export function nextChange(hours: JsonObject, now: WallClock): (WallClock & { state: HoursState }) | undefined {
  const state = stateOn(hours, now);
  const times = timesIn(hours);
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const date = dayAfter(now.date, ahead);
    for (const time of times) {
      if (ahead === 0 && time <= now.time) continue;
      const moment = { date, day: (now.day + ahead) % 7, time };
      const then = stateOn(hours, moment);
      if (then !== state) return { ...moment, state: then };
    }
  }
  return undefined;
}

/** Times of the day at which the state can change, in order. */
function timesIn(hours: JsonObject): string[] {
  const open = Array.isArray(hours['open']) ? hours['open'] : [];
  const edges = open.flatMap((each: Json) => (isObject(each) ? [each['from'], each['to']] : []));
  return [...new Set(['00:00', ...edges.map(String)])].filter((time) => time < '24:00').toSorted();
}

const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** The moment of a field for date and time, `2026-12-05T10:30`. Undefined if it is not complete. */
export function momentIn(written: string): WallClock | undefined {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(written) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  return { date, day: new Date(`${date}T00:00:00Z`).getUTCDay(), time: time! };
}
