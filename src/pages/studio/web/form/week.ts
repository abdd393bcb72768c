/**
 * The opening hours of a week as bars: what the openings of a flow mean for each day, and the smallest changes of the
 * text for other hours. Pure; `week-bars.tsx` draws them.
 *
 * Invariant: an opening that is not read is never changed, and one whose hours stay keeps its text.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { DAYS, type Day, daysOf, rangesOf } from '../settings/schedule.ts';

/** Open hours that begin on a day. Minutes of the day; a `to` that is not after `from` is on the next day. */
export interface Hours {
  day: Day;
  from: number;
  to: number;
}

export const DAY_MINUTES = 1440;
/** Length of the shortest bar, and the step of its edges, in minutes. */
export const QUARTER = 15;

interface Opening {
  /** Position in the list of the flow. */
  index: number;
  days: readonly Day[];
  from: number;
  to: number;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_RANGE = new RegExp(`^(${DAYS.join('|')})(-(${DAYS.join('|')}))?$`);

function minuteOf(time: Json | undefined): number | undefined {
  const [, hour, minute] = typeof time === 'string' ? (TIME.exec(time) ?? []) : [];
  if (hour !== undefined) return Number(hour) * 60 + Number(minute);
  return time === '24:00' ? DAY_MINUTES : undefined;
}

export const timeOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Minutes since the start of the day on which the hours begin. */
export const endOf = ({ from, to }: Hours): number => (to > from ? to : to + DAY_MINUTES);

function openingAt(written: Json, index: number): Opening | undefined {
  if (!isObject(written) || Object.keys(written).some((key) => !['days', 'from', 'to'].includes(key))) return undefined;
  const from = minuteOf(written['from']);
  const to = minuteOf(written['to']);
  const ranges = [written['days'] ?? []].flat();
  const isRead = ranges.every((range) => typeof range === 'string' && DAY_RANGE.test(range));
  if (from === undefined || to === undefined || from === DAY_MINUTES || !isRead) return undefined;
  return { index, days: daysOf(written['days']), from, to };
}

const openingsIn = (open: readonly Json[]): Opening[] =>
  open.flatMap((written, index) => openingAt(written, index) ?? []);

export const hoursIn = (open: readonly Json[]): Hours[] =>
  inOrder(openingsIn(open).flatMap(({ days, from, to }) => days.map((day) => ({ day, from, to }))));

/** Positions of the openings that the bars cannot show. */
export const unreadIn = (open: readonly Json[]): number[] =>
  [...open.keys()].filter((index) => openingAt(open[index]!, index) === undefined);

const inOrder = (hours: readonly Hours[]): Hours[] => {
  const known = new Map(hours.map((each) => [keyOf(each), each]));
  return [...known.values()].toSorted(
    (one, other) =>
      DAYS.indexOf(one.day) - DAYS.indexOf(other.day) || one.from - other.from || endOf(one) - endOf(other),
  );
};
const keyOf = ({ day, from, to }: Hours): string => `${day} ${from} ${to}`;
const isSame = (one: Hours, other: Hours): boolean => keyOf(one) === keyOf(other);

/** Hours without one of them. */
export const closed = (hours: readonly Hours[], gone: Hours): Hours[] => hours.filter((each) => !isSame(each, gone));

/** Hours with others, which take up the hours of the same day that they touch. */
export function opened(hours: readonly Hours[], { day, from, to }: Hours): Hours[] {
  let begin = from;
  let end = endOf({ day, from, to });
  let rest = hours;
  for (let isDone = false; !isDone; ) {
    const touching = rest.filter((each) => each.day === day && each.from <= end && endOf(each) >= begin);
    isDone = touching.length === 0;
    begin = Math.min(begin, ...touching.map((each) => each.from));
    end = Math.max(end, ...touching.map(endOf));
    rest = rest.filter((each) => !touching.includes(each));
  }
  const isAlone = rest.length === hours.length;
  return inOrder([...rest, { day, from: begin, to: isAlone ? to : wrapped(begin, end) }]);
}

/** An end after midnight is on the next day; hours last a day at most. */
const wrapped = (from: number, end: number): number => {
  const last = Math.min(end, from + DAY_MINUTES);
  return last > DAY_MINUTES ? last - DAY_MINUTES : last;
};

export type HoursEdge = 'from' | 'to';

/** Hours with another edge, at least a quarter of an hour long. Minutes since the start of the day of the hours. */
export function moved(
  hours: readonly Hours[],
  at: Hours,
  edge: HoursEdge,
  minute: number,
): { hours: Hours[]; now: Hours } {
  const end = endOf(at);
  const from = edge === 'from' ? Math.min(Math.max(minute, 0), end - QUARTER, DAY_MINUTES - QUARTER) : at.from;
  const to =
    edge === 'to' ? wrapped(from, Math.max(minute, from + QUARTER)) : end > DAY_MINUTES ? wrapped(from, end) : at.to;
  const next = opened(closed(hours, at), { day: at.day, from, to });
  const now = next.find(
    (each) => each.day === at.day && each.from <= from && endOf(each) >= endOf({ ...at, from, to }),
  )!;
  return { hours: next, now };
}

/** The next minute on the grid of quarters. */
export const stepped = (minute: number, by: number): number =>
  by > 0 ? Math.floor(minute / QUARTER) * QUARTER + by : Math.ceil(minute / QUARTER) * QUARTER + by;

/** Each of the days gets the hours of another. */
export function copied(hours: readonly Hours[], from: Day, days: readonly Day[]): Hours[] {
  const source = hours.filter(({ day }) => day === from);
  const others = hours.filter(({ day }) => day === from || !days.includes(day));
  return inOrder([...others, ...days.flatMap((day) => source.map((each) => ({ ...each, day })))]);
}

/** First hours of a day: those of the other days, as long as they fit, or else nine to five. */
export function proposed(hours: readonly Hours[], day: Day): Hours | undefined {
  const taken = hours.filter((each) => each.day === day);
  const usual = hours.filter((each) => each.day !== day).map((each) => ({ ...each, day }));
  const last = taken.at(-1);
  const after = last && { day, from: endOf(last) + 60, to: Math.min(endOf(last) + 180, DAY_MINUTES) };
  const free = (each: Hours): boolean =>
    each.from < each.to && taken.every((other) => other.from > each.to || endOf(other) < each.from);
  return [...usual, { day, from: 540, to: 1020 }, ...(after ? [after] : []), { day, from: 0, to: 60 }].find(free);
}

interface Next {
  days: readonly Day[];
  from: number;
  to: number;
}

/** Changes of the list of openings at a path, after which the week has the wanted hours. */
export function weekChanges(open: readonly Json[], wanted: readonly Hours[], path: Path): Change[] {
  const openings = openingsIn(open);
  const left = new Map(inOrder(wanted).map((each) => [keyOf(each), each]));
  const next = new Map<number, Next>();
  for (const { index, days, from, to } of openings) {
    const kept = days.filter((day) => left.delete(keyOf({ day, from, to })));
    next.set(index, { days: kept, from, to });
  }
  const added: { after: number; opening: Next }[] = [];
  for (const group of groupsOf([...left.values()])) {
    const { from, to } = group;
    const same = openings.find(({ index }) => next.get(index)!.from === from && next.get(index)!.to === to);
    const days = DAYS.filter((day) => group.days.includes(day) || (same && next.get(same.index)!.days.includes(day)));
    const host = hostFor({ days, from, to }, openings, (opening) => opening === same || isEmpty(next, opening));
    if (same !== undefined && same !== host) next.set(same.index, { ...next.get(same.index)!, days: [] });
    if (host === undefined) added.push({ after: placeFor(openings, days), opening: { days, from, to } });
    else next.set(host.index, { days, from, to });
  }
  const gone = openings.filter((opening) => isEmpty(next, opening));
  if (gone.length === open.length && gone.length + added.length > 0)
    return [{ do: 'set', path, value: added.map(({ opening }) => written(opening)) }];
  return [
    ...openings.flatMap((opening) =>
      isEmpty(next, opening)
        ? [{ do: 'removeItem', path: [...path, opening.index] } as const]
        : openingChanges(open[opening.index] as JsonObject, opening, next.get(opening.index)!, [
            ...path,
            opening.index,
          ]),
    ),
    ...added.map(
      ({ after, opening }): Change => ({
        do: 'insert',
        path,
        index: Math.min(after + 1, open.length),
        value: written(opening),
      }),
    ),
  ];
}

/** Hours with the same times are one opening. */
function groupsOf(hours: readonly Hours[]): Next[] {
  const groups = new Map<string, Next>();
  for (const { day, from, to } of hours) {
    const days = groups.get(`${from} ${to}`)?.days ?? [];
    groups.set(`${from} ${to}`, { days: [...days, day], from, to });
  }
  return [...groups.values()];
}

const isEmpty = (next: ReadonlyMap<number, Next>, { index }: Opening): boolean => next.get(index)!.days.length === 0;

/** The opening that is written again for hours: that with the most in common of those that are free for them. */
function hostFor(
  wanted: Next,
  openings: readonly Opening[],
  isFree: (opening: Opening) => boolean,
): Opening | undefined {
  const likeness = ({ days, from, to }: Opening): number =>
    days.filter((day) => wanted.days.includes(day)).length * 2 +
    Number(from === wanted.from) +
    Number(to === wanted.to);
  return openings.filter(isFree).toSorted((one, other) => likeness(other) - likeness(one))[0];
}

/** Position of the opening after which that of these days belongs. */
const placeFor = (openings: readonly Opening[], days: readonly Day[]): number =>
  openings.findLast((opening) => opening.days.some((day) => days.includes(day)))?.index ?? Number.POSITIVE_INFINITY;

/** Every day is written without days. */
const written = ({ days, from, to }: Next): JsonObject => ({
  ...(days.length === DAYS.length ? {} : { days: writtenDays(days) }),
  from: timeOf(from),
  to: timeOf(to),
});

function writtenDays(days: readonly Day[]): Json {
  const ranges = rangesOf(days);
  return ranges.length === 1 ? ranges[0]! : ranges;
}

function openingChanges(now: JsonObject, opening: Opening, next: Next, path: Path): Change[] {
  const time = (key: HoursEdge): Change[] =>
    opening[key] === next[key] ? [] : [{ do: 'set', path: [...path, key], value: timeOf(next[key]) }];
  const isSameDays = opening.days.length === next.days.length && next.days.every((day) => opening.days.includes(day));
  return [...(isSameDays ? [] : dayChanges(now['days'], next.days, path)), ...time('from'), ...time('to')];
}

function dayChanges(now: Json | undefined, days: readonly Day[], path: Path): Change[] {
  const at: Path = [...path, 'days'];
  if (now === undefined) return [{ do: 'add', path, key: 'days', value: writtenDays(days), first: true }];
  if (days.length === DAYS.length) return [{ do: 'remove', path: at }];
  const ranges = rangesOf(days);
  if (!Array.isArray(now)) return [{ do: 'set', path: at, value: writtenDays(days) }];
  // A list that loses or gets items keeps the others as they are written.
  const gone = [...now.keys()].filter((index) => !ranges.includes(String(now[index])));
  const isShorter = ranges.every((range) => now.includes(range));
  if (isShorter) return gone.map((index) => ({ do: 'removeItem', path: [...at, index] }));
  if (gone.length > 0) return [{ do: 'set', path: at, value: ranges }];
  return ranges
    .filter((range) => !now.includes(range))
    .map((value) => ({
      do: 'insert',
      path: at,
      index: ranges.slice(0, ranges.indexOf(value)).filter((each) => now.includes(each)).length,
      value,
    }));
}
