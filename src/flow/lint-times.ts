/**
 * Checks of implausible times: too short to begin, too long to wait, a silence longer than the recording, and dates
 * that do not exist.
 */
import { quoting } from '../core/diagnostic.ts';
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { KeywordPlace } from '../schema/argument-keywords.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../schema/document.ts';
import { longForm, verbSchemas } from '../schema/schema-forms.ts';
import type { FlowDraft } from './flow-draft.ts';
import { inputDefaultsOf } from './flow-shape.ts';
import { placesNaming, valuesAt } from './named-places.ts';
import { daysOf } from './opening-hours.ts';
import { defaultAt, namesOf, type Sane, sanePlacesOf, usesSecrets } from './verb-facts.ts';

/** Maximum time that a caller waits for a service. */
const MOST_REQUEST_MS = 60_000;
/** Opening hours past midnight that are longer than this were meant to be within one day. */
const LONGEST_NIGHT_MINUTES = 15 * 60;

export function* lintTimes(draft: FlowDraft): Generator<Issue> {
  const { root, steps, flow } = draft;
  const inherited = isObject(root['defaults']) ? root['defaults']['input'] : undefined;
  if (isObject(inherited)) {
    yield* oddTimes(inherited, '/defaults/input', inputTimes());
    yield* lostKeys(inherited, '/defaults/input');
  }
  for (const { source, spec, argsPointer, compiled } of steps.values()) {
    const written = source[spec.verb] ?? null;
    const long = longForm(spec.verb, written);
    // Only values written at the step: values from the defaults are checked there.
    yield* oddTimes(long, argsPointer, sanePlacesOf(spec.verb));
    if (isObject(written)) {
      if (inputDefaultsOf(spec.verb).length > 0) yield* lostKeys(written, argsPointer);
      if (usesSecrets(spec.verb)) yield* requestTimes(written, argsPointer);
    }
    yield* longerThanTheCall(long, argsPointer, draft);
    if (spec.form !== 'assignments') {
      yield* ringingTimes(long, argsPointer);
      yield* recordTimes(long, argsPointer, String(defaultAt(spec.verb, '/max_length')));
    }
    for (const at of placesNaming(namesOf(spec.verb), 'schedule')) {
      for (const [path, schedule] of valuesAt(compiled.args, at))
        if (isObject(schedule)) yield* hours(schedule, path.reduce<string>(childPointer, argsPointer), draft);
    }
  }
  for (const [name, schedule] of Object.entries(flow.schedules)) {
    if (isObject(schedule)) yield* hours(schedule, childPointer('/schedules', name), draft);
  }
}

/** Times of questions, which `defaults.input` may set. */
const inputTimes = (): readonly KeywordPlace<Sane>[] =>
  sanePlacesOf([...verbSchemas.keys()].find((verb) => inputDefaultsOf(verb).length > 0) ?? '');

const msOf = (written: Json | undefined): number | undefined =>
  typeof written === 'string' ? parseDuration(written) : undefined;

function* oddTimes(args: Json, pointer: string, places: readonly KeywordPlace<Sane>[]): Generator<Issue> {
  for (const [at, { least, below, most, above, usual }] of places) {
    for (const [path, written] of valuesAt(args, at)) {
      const writtenMs = msOf(written);
      if (writtenMs === undefined) continue;
      const problem = writtenMs < msOf(least)! ? below : writtenMs > msOf(most)! ? above : undefined;
      if (problem === undefined) continue;
      const message = problem.replace('#', () => quoting`${String(written)}`);
      yield valueIssue('odd-time', path.reduce<string>(childPointer, pointer), message, `most take ${usual}`);
    }
  }
}

function* lostKeys(args: JsonObject, pointer: string): Generator<Issue> {
  if (args['barge_in'] !== false || args['typeahead'] !== 'flush') return;
  const message = 'no key stops the prompt, and those that are pressed meanwhile are lost';
  const hint = 'write typeahead: from_prompt, or let keys stop the prompt';
  yield valueIssue('lost-keys', `${pointer}/typeahead`, message, hint);
}

function* requestTimes(args: JsonObject, pointer: string): Generator<Issue> {
  const { timeout, retry } = args;
  const timeoutMs = msOf(timeout);
  if (timeoutMs === undefined) return;
  if (timeoutMs === 0) {
    yield valueIssue('odd-time', `${pointer}/timeout`, 'no service answers within no time', 'most take 2s to 5s');
    return;
  }
  const times = isObject(retry) && typeof retry['times'] === 'number' ? retry['times'] + 1 : 1;
  const totalMs = timeoutMs * times;
  if (totalMs <= MOST_REQUEST_MS) return;
  const message = `callers may wait for ${Math.round(totalMs / 1000)} s${times > 1 ? ` in ${times} attempts` : ''}`;
  yield valueIssue('odd-time', `${pointer}/timeout`, message, 'most take 2s to 5s');
}

/** Arguments with a time that a step waits for. */
const WAITS = ['timeout', 'ring_timeout', 'start_timeout', 'max_length', 'max_duration', 'duration'];

function* longerThanTheCall(args: Json, pointer: string, { flow }: FlowDraft): Generator<Issue> {
  if (!isObject(args)) return;
  const { maxDurationMs } = flow.limits;
  for (const key of WAITS) {
    const writtenMs = msOf(args[key]);
    if (writtenMs === undefined || writtenMs <= maxDurationMs) continue;
    const message = `a call of this flow is ended after ${Math.round(maxDurationMs / 1000)} s, before this is over`;
    const at = childPointer(pointer, key);
    yield valueIssue('odd-time', at, message, 'shorten it, or set a longer limits: { max_duration: … }');
  }
}

function* ringingTimes(args: Json, pointer: string): Generator<Issue> {
  if (!isObject(args)) return;
  const [ringMs, waitMs] = [msOf(args['ring_timeout']), msOf(args['timeout'])];
  if (ringMs === undefined || waitMs === undefined || ringMs < waitMs) return;
  const message = 'an agent’s phone rings for as long as a caller waits at most: no other is tried';
  yield valueIssue('odd-time', `${pointer}/ring_timeout`, message, quoting`shorten it, or set a longer ${'timeout'}`);
}

/** `usual`: the default of the longest recording. */
function* recordTimes(args: Json, pointer: string, usual: string): Generator<Issue> {
  if (!isObject(args)) return;
  const longestMs = msOf(args['max_length']) ?? msOf(usual) ?? Number.POSITIVE_INFINITY;
  for (const key of ['end_silence', 'min_length']) {
    const writtenMs = msOf(args[key]);
    if (writtenMs === undefined || writtenMs < longestMs) continue;
    const message = quoting`${key} is not shorter than the longest recording`;
    yield valueIssue('odd-time', `${pointer}/${key}`, message, quoting`shorten it, or set a longer ${'max_length'}`);
  }
}

// --- opening hours ---------------------------------------------------------------------------------------------------

interface Opening {
  days: Set<number>;
  from: number;
  to: number;
  pointer: string;
}

function* hours(schedule: JsonObject, pointer: string, { options }: FlowDraft): Generator<Issue> {
  yield* holidays(schedule['holidays'], `${pointer}/holidays`, options.now?.());
  const open = Array.isArray(schedule['open']) ? schedule['open'] : [];
  const before: Opening[] = [];
  for (const [index, written] of open.entries()) {
    if (!isObject(written)) continue;
    const at = `${pointer}/open/${index}`;
    const [from, to] = [minutesOf(written['from']), minutesOf(written['to'])];
    if (from === undefined || to === undefined) continue;
    if (from === to || (from > to && to + 24 * 60 - from > LONGEST_NIGHT_MINUTES)) {
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
