/**
 * Compares what happened on a call with what a scenario expects: one check per key of `expect`. Each mismatch says what
 * was expected, what happened, where the test expects it, and at which entry of the journal it shows.
 */
import { formatDuration, parseDuration } from '../core/duration.ts';
import { canonical, isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import { MASK } from '../runtime/journal.ts';
import { childPointer } from '../schema/document.ts';
import type { HeardAudio, StreamSink, Talk } from '../telephony/simulated/far-end.ts';
import { longestDeadAir } from './dead-air.ts';
import { matchesPrompt, promptNames, withoutRepeats } from './prompt-names.ts';
import type { ScriptedParty } from './scripted-party.ts';

export interface ObservedCall {
  flow: CompiledFlow;
  journal: readonly JournalEntry[];
  heard: readonly HeardAudio[];
  receivedDigits: string;
  talks: readonly Talk[];
  talkedWith: readonly string[];
  streams: readonly StreamSink[];
  /** Everybody but the caller, in the order of their calls. */
  others: readonly Pick<ScriptedParty, 'name' | 'farEnd' | 'talkedWith' | 'cause'>[];
}

export interface Mismatch {
  /** JSON pointer into the scenario. */
  pointer: string;
  what: string;
  expected: string;
  actual: string;
  /** The journal entry at which it shows. */
  seq?: number;
}

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;
type ExpectationCheck = (expected: Json, observed: ObservedCall, pointer: string) => Mismatch[];

export function checkExpectations(expect: JsonObject, observed: ObservedCall): Mismatch[] {
  return Object.entries(expect).flatMap(([key, expected]) => {
    const check = CHECKS[key];
    return check ? check(expected, observed, childPointer('/expect', key)) : [];
  });
}

const entriesOf = <Kind extends JournalEntry['kind']>({ journal }: ObservedCall, kind: Kind): Entry<Kind>[] =>
  journal.filter((entry): entry is Entry<Kind> => entry.kind === kind);

/** An entry as text, without the two numbers of the call, which everyone knows who may see the journal. */
function withoutNumbers(entry: JournalEntry, { journal }: ObservedCall): string {
  const text = JSON.stringify(entry);
  const [started] = journal;
  return started?.kind === 'started' ? text.replaceAll(started.from, '').replaceAll(started.to, '') : text;
}

const words = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
const listed = (items: readonly string[]): string => (items.length === 0 ? 'nothing' : items.join(' → '));
const strings = (value: Json): string[] => [value].flat().map(String);

const CHECKS: Readonly<Record<string, ExpectationCheck>> = {
  path(expected, observed, pointer) {
    const wanted = strings(expected);
    const withInner = wanted.some((step) => step.includes('/'));
    const entered = entriesOf(observed, 'entered').filter(({ depth }) => withInner || depth === 0);
    const path = entered.map(({ step, flow, depth }) => (depth === 0 ? step : `${flow}/${step}`));
    return sequence('the path', wanted, path, pointer, (at) => entered[at]?.seq);
  },

  outcomes: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const left = entriesOf(observed, 'left').filter((entry) => entry.step === step);
      const outcomes = left.map(({ outcome }) => outcome);
      return sequence(`the outcome of ${step}`, strings(wanted), outcomes, at, (index) => left[index]?.seq);
    }),

  visits: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const entered = entriesOf(observed, 'entered').filter((entry) => entry.step === step);
      return same(`visits of ${step}`, wanted, entered.length, at, entered.at(-1)?.seq);
    }),

  retries: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const visits = new Set(
        entriesOf(observed, 'entered').flatMap((entry) => (entry.step === step ? [entry.visit] : [])),
      );
      const requests = entriesOf(observed, 'request').filter(({ visit }) => visits.has(visit));
      const asked = new Set(requests.map(({ visit }) => visit));
      return same(`retries of ${step}`, wanted, requests.length - asked.size, at, requests.at(-1)?.seq);
    }),

  heard: (expected, { heard }, pointer) => heardAll('what is heard', expected, heard, pointer),

  dialled(expected, observed, pointer) {
    const dialled = entriesOf(observed, 'dialled');
    const actual = dialled.map(({ to }) => to);
    return sequence('the parties that the flow called', strings(expected), actual, pointer, (at) => dialled[at]?.seq);
  },

  bridged_with(expected, observed, pointer) {
    const bridged = entriesOf(observed, 'bridge').filter(({ state }) => state === 'bridged');
    const actual = bridged.map(({ to }) => to);
    return sequence('the parties it was bridged with', strings(expected), actual, pointer, (at) => bridged[at]?.seq);
  },

  talked_with: (expected, { talkedWith }, pointer) =>
    sequence('the parties that the caller heard', strings(expected), talkedWith, pointer, () => undefined),

  states(expected, observed, pointer) {
    const entries = entriesOf(observed, 'state');
    const actual = entries.map(({ state }) => state);
    return sequence('the states', strings(expected), actual, pointer, (at) => entries[at]?.seq);
  },

  recordings(expected, observed, pointer) {
    const entries = lastOfEach(entriesOf(observed, 'recording'), ({ recordingId }) => recordingId);
    const actual = entries.map(({ state, name, durationMs }) => {
      const recording: JsonObject = { state };
      if (name !== undefined) recording['name'] = name;
      if (durationMs !== undefined) recording['duration'] = formatDuration(durationMs);
      return recording;
    });
    return eachIncludes('recordings', expected, actual, pointer, (at) => entries[at]?.seq);
  },

  streams(expected, observed, pointer) {
    const entries = lastOfEach(entriesOf(observed, 'stream'), ({ streamId }) => streamId);
    const actual = entries.map(({ state }, at): JsonObject => {
      const sink = observed.streams[at];
      return { state, ...(sink ? { url: sink.url, frames: sink.frames } : {}) };
    });
    const wanted = [expected].flat().map((each, at) => withFramesIn(each, actual[at]?.['frames']));
    return eachIncludes('streams', wanted, actual, pointer, (at) => entries[at]?.seq);
  },

  transcripts(expected, observed, pointer) {
    const entries = entriesOf(observed, 'transcript');
    const actual = entries.map(({ track }) => track);
    return sequence('the transcripts', strings(expected), actual, pointer, (at) => entries[at]?.seq);
  },

  venues(expected, observed, pointer) {
    const entries = entriesOf(observed, 'venue');
    const actual = entries.map(({ venue, name, event, data }): JsonObject => ({ venue, name, event, data }));
    return eachIncludes('events of conferences, queues and rooms', expected, actual, pointer, (at) => entries[at]?.seq);
  },

  parties: (expected, { others }, pointer) =>
    Object.entries(isObject(expected) ? expected : {}).flatMap(([name, wanted]) => {
      const at = childPointer(pointer, name);
      const calls = others.filter((actor) => actor.name === name);
      if (calls.length === 0) {
        const there = [...new Set(others.map((actor) => actor.name))];
        return [{ pointer: at, what: name, expected: `a call of ${name}`, actual: `there were ${listed(there)}` }];
      }
      return Object.entries(isObject(wanted) ? wanted : {}).flatMap(([key, value]) => {
        const what = `${key} of ${name}`;
        const inner = childPointer(at, key);
        if (key === 'heard')
          return heardAll(
            what,
            value,
            calls.flatMap(({ farEnd }) => farEnd.heard),
            inner,
          );
        if (key === 'talked_with') {
          return sequence(
            what,
            strings(value),
            calls.flatMap((actor) => actor.talkedWith),
            inner,
            () => undefined,
          );
        }
        const last = calls.at(-1)!;
        if (key === 'received_digits') return same(what, value, last.farEnd.received, inner);
        const cause = typeof value === 'string' ? last.cause?.reason : last.cause?.code;
        return same(what, value, cause ?? 'not ended', inner);
      });
    }),

  dead_air(expected, observed, pointer) {
    const maxMs = parseDuration(String(isObject(expected) ? expected['max'] : '')) ?? 0;
    const { durationMs, fromMs, step, seq } = longestDeadAir(observed);
    if (durationMs <= maxMs) return [];
    const where = step === undefined ? '' : `, in step ${step}`;
    const actual = `${formatDuration(durationMs)} of nothing from ${formatDuration(fromMs)} on${where}`;
    const difference = { pointer: childPointer(pointer, 'max'), what: 'dead air', actual };
    return [{ ...difference, expected: `at most ${formatDuration(maxMs)}`, ...(seq === undefined ? {} : { seq }) }];
  },

  never(expected, observed, pointer) {
    const given = isObject(expected) ? expected : {};
    const at = (key: string): string => childPointer(pointer, key);
    const found: Mismatch[] = [];
    for (const text of strings(given['trace_contains'] ?? [])) {
      const entry = observed.journal.find((each) => withoutNumbers(each, observed).includes(text));
      if (!entry) continue;
      const expectedText = `${JSON.stringify(text)} nowhere in the journal`;
      const actual = `it is in entry ${entry.seq} (${entry.kind})`;
      found.push({
        pointer: at('trace_contains'),
        what: 'the journal',
        expected: expectedText,
        actual,
        seq: entry.seq,
      });
    }
    for (const step of strings(given['visited'] ?? [])) {
      const entry = entriesOf(observed, 'entered').find((each) => each.step === step);
      if (!entry) continue;
      const difference = { what: 'the path', expected: `no visit of ${step}`, actual: 'it was visited' };
      found.push({ pointer: at('visited'), ...difference, seq: entry.seq });
    }
    for (const prompt of strings(given['heard'] ?? [])) {
      if (!observed.heard.some(({ item }) => matchesPrompt(prompt, item))) continue;
      const actual = listed(promptNames(observed.heard));
      found.push({ pointer: at('heard'), what: 'what is heard', expected: `never ${prompt}`, actual });
    }
    return found;
  },

  ended(expected, observed, pointer) {
    const wanted = isObject(expected) ? expected : { reason: expected };
    const ended = entriesOf(observed, 'ended').at(-1);
    const last = entriesOf(observed, 'state').findLast(({ cause }) => cause !== undefined);
    const actual: JsonObject = {
      reason: ended?.reason ?? 'not ended',
      state: last?.state ?? 'none',
      fault: ended?.fault?.code ?? 'none',
      cause: (typeof wanted['cause'] === 'string' ? last?.cause?.reason : last?.cause?.code) ?? 'none',
    };
    return Object.entries(wanted).flatMap(([key, value]) => {
      const seq = key === 'cause' || key === 'state' ? last?.seq : ended?.seq;
      return same(`the ${key} of the end`, value, actual[key]!, childPointer(pointer, key), seq);
    });
  },

  vars(expected, observed, pointer) {
    const { values, seqs } = finalVariables(observed);
    return Object.entries(isObject(expected) ? expected : {}).flatMap(([name, wanted]) => {
      const at = childPointer(pointer, name);
      if (!Object.hasOwn(observed.flow.vars, name)) return [unknown('variable', name, at)];
      return same(`the variable ${name}`, wanted, values[name], at, seqs[name]);
    });
  },

  output(expected, observed, pointer) {
    const ended = entriesOf(observed, 'ended').at(-1);
    return same('the output', expected, ended?.output, pointer, ended?.seq);
  },

  notified(expected, observed, pointer) {
    const entries = entriesOf(observed, 'notified');
    const wanted = [expected].flat();
    const fits =
      wanted.length === entries.length &&
      wanted.every((each, index) => {
        const { event, body } = entries[index]!;
        return isObject(each)
          ? each['event'] === event && (each['body'] === undefined || includes(each['body'], body))
          : each === event;
      });
    if (fits) return [];
    const show = (each: Json): string =>
      isObject(each) ? `${words(each['event']!)} ${words(each['body'])}` : words(each);
    const actual = entries.map(({ event, body }) => (wanted.some(isObject) ? `${event} ${words(body)}` : event));
    return sequence('the notifications', wanted.map(show), actual, pointer, (index) => entries[index]?.seq);
  },

  requests(expected, observed, pointer) {
    const steps = new Map(entriesOf(observed, 'entered').map(({ visit, step }) => [visit, step]));
    const made = entriesOf(observed, 'request');
    const requests = made.map(({ visit, method, url, body }): JsonObject => {
      return { step: steps.get(visit) ?? '', method, url, body: body ?? null };
    });
    return eachIncludes('requests', expected, requests, pointer, (index) => made[index]?.seq);
  },

  received_digits: (expected, { receivedDigits }, pointer) =>
    same('digits sent to the party', expected, receivedDigits, pointer),

  duration(expected, { journal }, pointer) {
    const tookMs = (journal.at(-1)?.atMs ?? 0) - (journal[0]?.atMs ?? 0);
    const { min, max } = isObject(expected) ? expected : { min: expected, max: expected };
    const minMs = parseDuration(String(min ?? '0s')) ?? 0;
    const maxMs = max === undefined ? Number.POSITIVE_INFINITY : (parseDuration(String(max)) ?? 0);
    if (tookMs >= minMs && tookMs <= maxMs) return [];
    const wanted = min === max ? words(min) : `${min ?? '0s'} to ${max ?? 'any'}`;
    return [{ pointer, what: 'the duration', expected: wanted, actual: formatDuration(tookMs) }];
  },
};

/** A name that the flow does not have is a mismatch; otherwise a misspelt expectation would always pass. */
function perStep(
  expected: Json,
  { flow, journal }: ObservedCall,
  pointer: string,
  check: (step: string, wanted: Json, pointer: string) => Mismatch[],
): Mismatch[] {
  const visited = new Set(journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : [])));
  return Object.entries(isObject(expected) ? expected : {}).flatMap(([step, wanted]) => {
    const at = childPointer(pointer, step);
    return flow.steps.has(step) || visited.has(step) ? check(step, wanted, at) : [unknown('step', step, at)];
  });
}

const unknown = (kind: string, name: string, pointer: string): Mismatch => ({
  pointer,
  what: `the ${kind} ${name}`,
  expected: `a ${kind} of the flow`,
  actual: `the flow has no ${kind} ${name}`,
});

function same(what: string, wanted: Json, actual: Json | undefined, pointer: string, seq?: number): Mismatch[] {
  if (actual !== undefined && canonical(wanted) === canonical(actual) && actual !== MASK) return [];
  const shown = actual === MASK ? `${MASK}: it is sensitive, the journal does not hold it` : words(actual);
  return [{ pointer, what, expected: words(wanted), actual: shown, ...(seq === undefined ? {} : { seq }) }];
}

function sequence(
  what: string,
  wanted: readonly string[],
  actual: readonly string[],
  pointer: string,
  seqOf: (index: number) => number | undefined,
): Mismatch[] {
  if (wanted.length === actual.length && wanted.every((each, index) => each === actual[index])) return [];
  const first = wanted.findIndex((each, index) => each !== actual[index]);
  const at = first < 0 ? wanted.length : first;
  const seq = seqOf(at) ?? seqOf(at - 1);
  return [{ pointer, what, expected: listed(wanted), actual: listed(actual), ...(seq === undefined ? {} : { seq }) }];
}

function heardAll(what: string, expected: Json, heard: readonly HeardAudio[], pointer: string): Mismatch[] {
  const played = withoutRepeats(heard);
  const wanted = strings(expected);
  const fits = wanted.length === played.length && wanted.every((prompt, at) => matchesPrompt(prompt, played[at]!.item));
  return fits ? [] : sequence(what, wanted, promptNames(played), pointer, () => undefined);
}

/** As many as expected, each with at least the given fields. */
function eachIncludes(
  what: string,
  expected: Json,
  actual: readonly JsonObject[],
  pointer: string,
  seqOf: (index: number) => number | undefined,
): Mismatch[] {
  const wanted = [expected].flat();
  const fits = wanted.length === actual.length && wanted.every((each, index) => includes(each, actual[index]!));
  return fits ? [] : sequence(what, wanted.map(words), actual.map(words), pointer, seqOf);
}

function lastOfEach<E>(entries: readonly E[], idOf: (entry: E) => string): E[] {
  return [...new Map(entries.map((entry) => [idOf(entry), entry])).values()];
}

/** Replaces a range of frames by the number of frames, if it is in the range. */
function withFramesIn(wanted: Json, frames: Json | undefined): Json {
  const range = isObject(wanted) ? wanted['frames'] : undefined;
  if (!isObject(wanted) || !isObject(range) || typeof frames !== 'number') return wanted;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = range;
  return frames >= Number(min) && frames <= Number(max) ? { ...wanted, frames } : wanted;
}

/** Variables of the outermost flow at its end, and the entries that set them. */
function finalVariables({ flow, journal }: ObservedCall): { values: JsonObject; seqs: Record<string, number> } {
  const values: JsonObject = {};
  for (const [name, spec] of Object.entries(flow.vars)) if (spec.default !== undefined) values[name] = spec.default;
  const seqs: Record<string, number> = {};
  /** Visits by depth: those of outer flows wait for the inner ones. */
  const visits: number[] = [];
  for (const entry of journal) {
    if (entry.kind === 'entered') visits.splice(entry.depth, Number.POSITIVE_INFINITY, entry.visit);
    else if (entry.kind === 'left') visits.splice(visits.indexOf(entry.visit), Number.POSITIVE_INFINITY);
    else if (entry.kind === 'vars' && visits.length === 1) {
      Object.assign(values, entry.set);
      for (const name of Object.keys(entry.set)) seqs[name] = entry.seq;
    }
  }
  return { values, seqs };
}

/** Whether everything that is wanted is there; objects may hold more. */
function includes(wanted: Json, actual: Json): boolean {
  if (isObject(wanted)) {
    return isObject(actual) && Object.entries(wanted).every(([key, value]) => includes(value, actual[key] ?? null));
  }
  return canonical(wanted) === canonical(actual);
}
