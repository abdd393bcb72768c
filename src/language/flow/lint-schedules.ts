/** Checks of opening hours, of the flow and of a step: time zones, dates that do not exist, hours that cannot be meant. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { timeZoneProblem } from '../../base/schema/time-zones.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { placesNaming, valuesAt } from './named-places.ts';
import { daysOf } from './opening-hours.ts';
import { namesOf } from './verb-facts.ts';

/** Opening hours past midnight that are longer than this were meant to be within one day. */
const MAX_NIGHT_MINUTES = 15 * 60;

/** Time zones of the flow: of its defaults and of its schedules. */
export function* timezones({ root, flow, steps }: FlowDraft): Generator<Issue> {
  yield* timezone(root['defaults'] ?? null, '/defaults');
  const own = Object.entries(flow.schedules);
  const used = new Set(own.length === 0 ? [] : [...steps.values()].flatMap(schedulesOf));
  for (const [name, schedule] of own) {
    const pointer = childPointer('/schedules', name);
    yield* timezone(schedule, pointer);
    if (isObject(schedule) && used.has(name))
      yield* doubtfulZone(schedule, pointer, { usual: flow.timezone, isOnly: own.length === 1 });
  }
}

/** Names of schedules in the arguments of a step. */
const schedulesOf = ({ spec, compiled: { args } }: StepDraft): Json[] =>
  placesNaming(namesOf(spec.verb), 'schedule').flatMap((at) => [...valuesAt(args, at)].map(([, value]) => value));

/** `usual`: zone of the flow. Several schedules may be in several zones. */
function* doubtfulZone(
  { timezone: zone, open }: JsonObject,
  pointer: string,
  { usual, isOnly }: { usual: string | undefined; isOnly: boolean },
): Generator<Issue> {
  if (zone === undefined && usual === undefined && open !== undefined) {
    const message = 'these hours are in UTC, because neither the schedule nor the flow has a time zone';
    yield keyIssue('no-timezone', pointer, message, 'add timezone: Europe/Paris, or defaults: { timezone: … }');
  }
  if (typeof zone !== 'string' || usual === undefined || zone === usual || !isOnly) return;
  if ([zone, usual].some((each) => timeZoneProblem(each) !== undefined)) return;
  const message = quoting`the hours are in ${zone}, and the flow says times of ${usual}`;
  yield valueIssue('other-timezone', `${pointer}/timezone`, message, 'use the same zone, or remove one of the two');
}

/** Opening hours in the arguments of steps, and of the flow's schedules. */
export function* lintSchedules(draft: FlowDraft): Generator<Issue> {
  for (const { spec, argsPointer, compiled } of draft.steps.values()) {
    for (const at of placesNaming(namesOf(spec.verb), 'schedule')) {
      for (const [path, schedule] of valuesAt(compiled.args, at))
        if (isObject(schedule)) yield* openingHours(schedule, path.reduce<string>(childPointer, argsPointer), draft);
    }
  }
  for (const [name, schedule] of Object.entries(draft.flow.schedules)) {
    if (isObject(schedule)) yield* openingHours(schedule, childPointer('/schedules', name), draft);
  }
}

export function* timezone(written: Json, pointer: string): Generator<Issue> {
  const zone = isObject(written) ? written['timezone'] : undefined;
  const problem = typeof zone === 'string' ? timeZoneProblem(zone) : undefined;
  if (problem) yield valueIssue('unknown-timezone', `${pointer}/timezone`, problem.message, problem.hint);
}

interface Opening {
  days: Set<number>;
  from: number;
  to: number;
  pointer: string;
}

function* openingHours(schedule: JsonObject, pointer: string, { options }: FlowDraft): Generator<Issue> {
  yield* holidays(schedule['holidays'], `${pointer}/holidays`, options.now?.());
  const open = Array.isArray(schedule['open']) ? schedule['open'] : [];
  const before: Opening[] = [];
  for (const [index, written] of open.entries()) {
    if (!isObject(written)) continue;
    const at = `${pointer}/open/${index}`;
    const [from, to] = [minutesOf(written['from']), minutesOf(written['to'])];
    if (from === undefined || to === undefined) continue;
    if (from === to || (from > to && to + 24 * 60 - from > MAX_NIGHT_MINUTES)) {
      const span = quoting`from ${String(written['from'])} to ${String(written['to'])}`;
      const length = from === to ? 'a whole day' : 'nearly a whole day, past midnight';
      yield valueIssue('odd-hours', `${at}/to`, `${span} is ${length}`, 'an opening ends after it begins');
      continue;
    }
    const opening: Opening = { days: daysOf(written['days']), from, to, pointer: at };
    const other = before.find((each) => overlap(each, opening));
    if (other !== undefined) {
      const message = 'these hours are open already, by an entry before';
      yield keyIssue('overlapping-hours', `${at}/from`, message, 'join the two, or change one');
    }
    before.push(opening);
  }
}

const minutesOf = (written: Json | undefined): number | undefined => {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(String(written)) ?? [];
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
};

const overlap = (one: Opening, other: Opening): boolean => {
  const ends = ({ from, to }: Opening) => (to > from ? to : 24 * 60);
  const sameDay = [...one.days].some((day) => other.days.has(day));
  return sameDay && one.from < ends(other) && other.from < ends(one);
};

function* holidays(written: Json | undefined, pointer: string, nowMs: number | undefined): Generator<Issue> {
  const days = (Array.isArray(written) ? written : []).map((day) => String(isObject(day) ? day['date'] : day));
  for (const [index, day] of days.entries()) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || isDay(day)) continue;
    yield valueIssue('no-such-day', `${pointer}/${index}`, quoting`there is no day ${day}`);
  }
  if (nowMs === undefined || days.length === 0) return;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  if (days.some((day) => day >= today)) return;
  const message = `all holidays are past: the last is ${quoting`${days.toSorted().at(-1)!}`}`;
  yield keyIssue('past-holidays', pointer, message, 'add those to come');
}

/** False for a date such as 30 February, which `Date` would move to March. */
const isDay = (day: string): boolean => {
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
};
