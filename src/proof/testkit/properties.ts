/**
 * Checks the properties of a flow on one call, by its journal and by what the caller heard. `within` is about all calls
 * together and is checked by `src/proof/explore`. `scenario.ts` checks every test, `src/proof/explore` every explored
 * call.
 *
 * Invariant: a property violated by the beginning of a call stays violated, so that active calls can be checked.
 */
import { parseDuration } from '../../base/core/duration.ts';
import type { Json } from '../../base/core/json.ts';
import type { CompiledFlow, FlowProperty, PropertyEvent } from '../../language/flow/compiled-flow.ts';
import type { HeardAudio } from '../../media/telephony/simulated/far-end.ts';
import { type JournalEntry, type JournalEntryOf, MASK } from '../../service/runtime/journal.ts';
import { includes, words } from './mismatch.ts';
import { matchesPrompt } from './prompt-names.ts';

export interface JudgedCall {
  flow: CompiledFlow;
  journal: readonly JournalEntry[];
  heard: readonly HeardAudio[];
}

export interface BrokenProperty {
  name: string;
  /** Expected and actual behaviour. */
  expected: string;
  actual: string;
  step: string;
  seq?: number;
}

interface Moment {
  atMs: number;
  /** Order of moments at the same time; prompts come after their cause. */
  order: number;
  seq?: number;
}

export function brokenProperties(call: JudgedCall): BrokenProperty[] {
  return Object.entries(call.flow.properties).flatMap(([name, property]) => {
    const broken = breakOf(property, call);
    return broken ? [{ name, ...broken }] : [];
  });
}

/** Part of the history that still matters to each property: calls that differ in it are not in equal states. */
export function progressOf(call: JudgedCall): Json[] {
  const nowMs = call.journal.at(-1)?.atMs ?? 0;
  return Object.values(call.flow.properties).flatMap(({ never, always }): Json[] => {
    const { before, after } = never ?? always ?? {};
    if (before === undefined && after === undefined) return [];
    if (never || before !== undefined) {
      const gate = never ? momentsOf((before ?? after)!, call) : eventsOf(always!, call);
      return [gate.length > 0];
    }
    const events = eventsOf(always!, call);
    const pending = momentsOf(after!, call).findLast((moment) => !events.some((event) => isBefore(moment, event)));
    const mostMs = always?.within === undefined ? 0 : (parseDuration(always.within) ?? 0);
    return [pending === undefined ? false : Math.ceil(Math.min(nowMs - pending.atMs, mostMs) / 1000)];
  });
}

type Broken = Omit<BrokenProperty, 'name'>;

function breakOf({ never, always }: FlowProperty, call: JudgedCall): Broken | undefined {
  if (never) return breakOfNever(never, call);
  return always ? breakOfAlways(always, call) : undefined;
}

function breakOfNever(rule: NonNullable<FlowProperty['never']>, call: JudgedCall): Broken | undefined {
  const { before, after, sends, except } = rule;
  const from = after === undefined ? undefined : momentsOf(after, call)[0];
  const until = before === undefined ? undefined : momentsOf(before, call)[0];
  const events = sends === undefined ? eventsOf(rule, call) : leaksIn(call, except);
  const broken = events.find(
    (event) =>
      (after === undefined || (from !== undefined && isBefore(from, event))) &&
      (before === undefined || until === undefined || !isBefore(until, event)),
  );
  if (broken === undefined) return undefined;
  const when = before !== undefined ? ` before ${before}` : after !== undefined ? ` after ${after}` : '';
  return { expected: `never ${wordsOf(rule)}${when}`, actual: 'it happened', ...placeOf(broken, call) };
}

function breakOfAlways(rule: NonNullable<FlowProperty['always']>, call: JudgedCall): Broken | undefined {
  const { before, after, within } = rule;
  const events = eventsOf(rule, call);
  const when =
    before === undefined ? `after ${after}${within === undefined ? '' : ` within ${within}`}` : `before ${before}`;
  const expected = `always ${wordsOf(rule)} ${when}`;
  if (before !== undefined) {
    const missed = momentsOf(before, call).find((moment) => !events.some((event) => isBefore(event, moment)));
    return missed && { expected, actual: `${before} came first`, ...placeOf(missed, call) };
  }
  const moments = momentsOf(after!, call);
  if (within !== undefined) {
    const late = moments.find((moment) => isLate(moment, parseDuration(within) ?? 0, events, call));
    if (late) return { expected, actual: `it did not happen within ${within}`, ...placeOf(late, call) };
  }
  const end = call.journal.find((entry) => entry.kind === 'ended');
  if (end?.kind !== 'ended' || end.reason === 'hangup') return undefined;
  const missed = within === undefined ? moments.slice(0, 1) : moments;
  const first = missed.find((moment) => !events.some((event) => isBefore(moment, event)));
  return first && { expected, actual: 'the call ended before', ...placeOf(first, call) };
}

/** True if the call continued beyond the limit and no such event occurred within it. */
function isLate(moment: Moment, withinMs: number, events: readonly Moment[], { journal }: JudgedCall): boolean {
  const untilMs = moment.atMs + withinMs;
  const isInTime = events.some((event) => isBefore(moment, event) && event.atMs <= untilMs);
  return !isInTime && (journal.at(-1)?.atMs ?? 0) > untilMs;
}

const isBefore = (one: Moment, other: Moment): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

function eventsOf({ visited, heard, requested, dialled }: PropertyEvent, call: JudgedCall): Moment[] {
  if (visited !== undefined) return momentsOf(visited, call);
  if (requested !== undefined) return requestsIn(call, (request) => isMeant(request, requested));
  if (dialled !== undefined) {
    return call.journal.filter((entry) => entry.kind === 'dialled' && entry.to.startsWith(dialled)).map(momentOf);
  }
  return call.heard
    .filter(({ item }) => matchesPrompt(heard!, item))
    .map(({ fromMs }) => ({ atMs: fromMs, order: Number.POSITIVE_INFINITY }));
}

const momentOf = ({ atMs, seq }: JournalEntry): Moment => ({ atMs, order: seq, seq });

function isMeant(
  { step, method, url, body = null }: SentRequest,
  wanted: NonNullable<PropertyEvent['requested']>,
): boolean {
  if (typeof wanted === 'string') return step === wanted;
  return (
    (wanted.step === undefined || step === wanted.step) &&
    (wanted.method === undefined || method === wanted.method) &&
    (wanted.url === undefined || url.includes(wanted.url)) &&
    (wanted.body === undefined || includes(wanted.body, body))
  );
}

/** Moments at which a step was entered, or left by an outcome. */
export function momentsOf(moment: string, { flow, journal }: Pick<JudgedCall, 'flow' | 'journal'>): Moment[] {
  const [name, ...rest] = moment.split('.');
  const outcome = rest.join('.');
  const own = new Set<number>();
  return journal.flatMap((entry): Moment[] => {
    if (entry.kind === 'entered' && entry.flow === flow.name) own.add(entry.visit);
    const isMeant =
      outcome === ''
        ? entry.kind === 'entered' && entry.flow === flow.name && entry.step === name
        : entry.kind === 'left' &&
          own.has(entry.visit) &&
          entry.step === name &&
          (entry.outcome === outcome || entry.outcome.startsWith(`${outcome}.`));
    return isMeant ? [{ atMs: entry.atMs, order: entry.seq, seq: entry.seq }] : [];
  });
}

type SentRequest = JournalEntryOf<'request'> & { step: string };

function requestsIn({ journal }: JudgedCall, isWanted: (request: SentRequest) => boolean): Moment[] {
  const steps = new Map<number, string>();
  return journal.flatMap((entry): Moment[] => {
    if (entry.kind === 'entered') steps.set(entry.visit, entry.step);
    if (entry.kind !== 'request') return [];
    return isWanted({ ...entry, step: steps.get(entry.visit) ?? '' }) ? [momentOf(entry)] : [];
  });
}

/** Requests with a masked value in them. */
const leaksIn = (call: JudgedCall, except: readonly string[] = []): Moment[] =>
  requestsIn(
    call,
    ({ step, url, body }) => !except.includes(step) && JSON.stringify([url, body ?? null]).includes(MASK),
  );

function wordsOf({ visited, heard, requested, dialled, sends }: PropertyEvent & { sends?: string }): string {
  if (visited !== undefined) return visited;
  if (heard !== undefined) return `heard ${heard}`;
  if (dialled !== undefined) return `dialled ${dialled}`;
  if (requested === undefined) return `a ${sends} value in a request`;
  if (typeof requested === 'string') return `a request of ${requested}`;
  const { method, url, step, body } = requested;
  const parts = [
    `a ${method === undefined ? '' : `${method} `}request`,
    ...(step === undefined ? [] : [`of ${step}`]),
    ...(url === undefined ? [] : [`to ${url}`]),
    ...(body === undefined ? [] : [`with ${words(body)}`]),
  ];
  return parts.join(' ');
}

function placeOf({ seq, atMs }: Moment, { journal }: JudgedCall): Pick<Broken, 'step' | 'seq'> {
  const entered = journal.findLast(
    (entry) => entry.kind === 'entered' && (seq === undefined ? entry.atMs <= atMs : entry.seq <= seq),
  );
  return { step: entered?.kind === 'entered' ? entered.step : '', ...(seq === undefined ? {} : { seq }) };
}

/** Time at which the call was answered, otherwise of its start. */
export function answeredMsOf(journal: readonly JournalEntry[]): number {
  const answered = journal.find(
    (entry) => entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'answered',
  );
  return answered?.atMs ?? journal[0]?.atMs ?? 0;
}
