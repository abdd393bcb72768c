/**
 * Compares a call with the expectations of a scenario: one check per key of `expect`. Each mismatch contains the
 * expected and actual value, its location in the test, and the journal entry at which it occurred.
 */
import { formatDuration } from '../../base/core/duration.ts';
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { asReceived } from '../../base/core/sip-headers.ts';
import { childPointer } from '../../base/schema/document.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { answersToAgents } from './agent-answers.ts';
import { longestDeadAir } from './dead-air.ts';
import { optionalMs, parseMs } from './file-values.ts';
import { eachIncludes, heardAll, includes, listed, type Mismatch, same, sequence, words } from './mismatch.ts';
import { finalVariables, hasStep, type ObservedCall } from './observed-call.ts';
import { ordersOf, requestsOf } from './observed-requests.ts';
import { headersSent, partyMismatches } from './party-expectations.ts';
import { languagesOf, matchesPrompt, promptNames } from './prompt-names.ts';
import { answeredMsOf, momentsOf } from './properties.ts';
import { interruptedBy, quietMsOf } from './quiet-time.ts';
import type { Expect } from './scenario-form.ts';

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;
type ExpectationCheck<Expected> = (expected: Expected, observed: ObservedCall, pointer: string) => Mismatch[];

export function checkExpectations(expect: Expect, observed: ObservedCall): Mismatch[] {
  return Object.entries(expect).flatMap(([key, expected]) => {
    const check = CHECKS[key as keyof Expect] as ExpectationCheck<typeof expected>;
    return check(expected, observed, childPointer('/expect', key));
  });
}

const entriesOf = <Kind extends JournalEntry['kind']>({ journal }: ObservedCall, kind: Kind): Entry<Kind>[] =>
  journal.filter((entry): entry is Entry<Kind> => entry.kind === kind);

/** Entry as text without the caller's and the callee's number, which are not secret to readers of the journal. */
function withoutNumbers(entry: JournalEntry, { journal }: ObservedCall): string {
  const text = JSON.stringify(entry);
  const [started] = journal;
  return started?.kind === 'started' ? text.replaceAll(started.from, '').replaceAll(started.to, '') : text;
}

/** Check for the values of entries of one kind, in order. */
function inOrder<Kind extends JournalEntry['kind']>(
  what: string,
  kind: Kind,
  shown: (entry: Entry<Kind>) => string,
  isMeant: (entry: Entry<Kind>) => boolean = () => true,
): ExpectationCheck<string[]> {
  return (expected, observed, pointer) => {
    const entries = entriesOf(observed, kind).filter(isMeant);
    return sequence({ what, pointer, seqOf: (at) => entries[at]?.seq }, expected, entries.map(shown));
  };
}

const CHECKS: { readonly [Key in keyof Expect]-?: ExpectationCheck<NonNullable<Expect[Key]>> } = {
  path(expected, observed, pointer) {
    const withInner = expected.some((step) => step.includes('/'));
    const own = observed.flow.name;
    const entered = entriesOf(observed, 'entered').filter(({ flow }) => withInner || flow === own);
    const path = entered.map(({ step, flow }) => (flow === own ? step : `${flow}/${step}`));
    return sequence({ what: 'the path', pointer, seqOf: (at) => entered[at]?.seq }, expected, path);
  },

  outcomes: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const left = entriesOf(observed, 'left').filter((entry) => entry.step === step);
      const outcomes = left.map(({ outcome }) => outcome);
      return sequence(
        { what: `the outcome of ${step}`, pointer: at, seqOf: (index) => left[index]?.seq },
        [wanted].flat(),
        outcomes,
      );
    }),

  visits: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const entered = entriesOf(observed, 'entered').filter((entry) => entry.step === step);
      return same({ what: `visits of ${step}`, pointer: at, seq: entered.at(-1)?.seq }, wanted, entered.length);
    }),

  reached: (expected, observed, pointer) =>
    Object.entries(expected).flatMap(([moment, most]) => {
      const at = childPointer(pointer, moment);
      const [step = ''] = moment.split('.');
      if (!observed.flow.steps.has(step)) return [unknown('step', step, at)];
      const [first] = momentsOf(moment, observed);
      const tookMs = first && first.atMs - answeredMsOf(observed.journal);
      if (tookMs !== undefined && tookMs <= parseMs(most)) return [];
      const actual = tookMs === undefined ? 'it is not reached' : `after ${formatDuration(tookMs)}`;
      return [
        { pointer: at, what: `how soon ${moment} is reached`, expected: `${most} at most`, actual, seq: first?.seq },
      ];
    }),

  retries: (expected, observed, pointer) =>
    perStep(expected, observed, pointer, (step, wanted, at) => {
      const visits = new Set(
        entriesOf(observed, 'entered').flatMap((entry) => (entry.step === step ? [entry.visit] : [])),
      );
      const requests = entriesOf(observed, 'request').filter(({ visit }) => visits.has(visit));
      const asked = new Set(requests.map(({ visit }) => visit));
      return same(
        { what: `retries of ${step}`, pointer: at, seq: requests.at(-1)?.seq },
        wanted,
        requests.length - asked.size,
      );
    }),

  heard: (expected, { caller }, pointer) => heardAll('what is heard', expected, caller.farEnd.heard, pointer),

  languages: (expected, { caller }, pointer) =>
    sequence({ what: 'the languages that are heard', pointer }, expected, languagesOf(caller.farEnd.heard)),

  dialled: inOrder('the parties that the flow called', 'dialled', ({ to }) => to),

  bridged_with: inOrder(
    'the parties it was bridged with',
    'bridge',
    ({ to }) => to,
    ({ state }) => state === 'bridged',
  ),

  talked_with: (expected, { caller }, pointer) =>
    sequence({ what: 'the parties that the caller heard', pointer }, expected, caller.talkedWith),

  states: inOrder('the states', 'state', ({ state }) => state),

  recordings(expected, observed, pointer) {
    const entries = lastOfEach(entriesOf(observed, 'recording'), ({ recordingId }) => recordingId);
    const actual = entries.map(({ state, name, durationMs }) => {
      const duration = durationMs === undefined ? undefined : formatDuration(durationMs);
      return defined<JsonObject>({ state, name, duration });
    });
    return eachIncludes({ what: 'recordings', pointer, seqOf: (at) => entries[at]?.seq }, expected, actual);
  },

  streams(expected, observed, pointer) {
    const entries = lastOfEach(entriesOf(observed, 'stream'), ({ streamId }) => streamId);
    const actual = entries.map(({ state }, at): JsonObject => {
      const sink = observed.caller.farEnd.streams[at];
      return { state, ...(sink ? { url: sink.url, frames: sink.frames } : {}) };
    });
    const wanted = expected.map((each, at) => withFramesIn(each, actual[at]?.['frames']));
    return eachIncludes({ what: 'streams', pointer, seqOf: (at) => entries[at]?.seq }, wanted, actual);
  },

  answered: answersToAgents,
  transcripts: inOrder('the transcripts', 'transcript', ({ track }) => track),

  venues(expected, observed, pointer) {
    const entries = entriesOf(observed, 'venue');
    const actual = entries.map(({ venue, name, event, data }): JsonObject => ({ venue, name, event, data }));
    return eachIncludes(
      { what: 'events of conferences, queues and rooms', pointer, seqOf: (at) => entries[at]?.seq },
      expected,
      actual,
    );
  },

  headers: (expected, { caller }, pointer) => headersSent('the caller', expected, caller.farEnd, pointer),

  parties: (expected, { others }, pointer) =>
    Object.entries(expected).flatMap(([name, wanted]) => {
      const at = childPointer(pointer, name);
      const calls = others.filter((actor) => actor.name === name);
      if (calls.length === 0) {
        const there = [...new Set(others.map((actor) => actor.name))];
        return [{ pointer: at, what: name, expected: `a call of ${name}`, actual: `there were ${listed(there)}` }];
      }
      return partyMismatches(name, wanted, calls, at);
    }),

  quiet(expected, { journal, caller: { farEnd } }, pointer) {
    const { heard, talks } = farEnd;
    const actualMs = quietMsOf({ journal, heard, talks });
    if (actualMs === parseMs(expected)) return [];
    return [{ pointer, what: 'the time without audio', expected, actual: formatDuration(actualMs) }];
  },

  interrupted: (expected, { journal, caller }, pointer) =>
    heardAll(
      'the prompts that were interrupted',
      expected,
      interruptedBy({ journal, heard: caller.farEnd.heard }),
      pointer,
    ),

  dead_air(expected, observed, pointer) {
    const maxMs = parseMs(expected.max);
    const { heard, talks } = observed.caller.farEnd;
    const { durationMs, fromMs, step, seq } = longestDeadAir({ journal: observed.journal, heard, talks });
    if (durationMs <= maxMs) return [];
    const where = step === undefined ? '' : `, in step ${step}`;
    const actual = `${formatDuration(durationMs)} of nothing from ${formatDuration(fromMs)} on${where}`;
    const atMost = `at most ${formatDuration(maxMs)}`;
    return [{ pointer: childPointer(pointer, 'max'), what: 'dead air', expected: atMost, actual, seq }];
  },

  never(expected, observed, pointer) {
    const { trace_contains: texts = [], visited = [], heard: prompts = [] } = expected;
    const { heard } = observed.caller.farEnd;
    const found: Mismatch[] = [];
    const add = (key: string, what: string, wanted: string, actual: string, seq?: number): void => {
      found.push({ pointer: childPointer(pointer, key), what, expected: wanted, actual, seq });
    };
    for (const text of [texts].flat()) {
      const entry = observed.journal.find((each) => withoutNumbers(each, observed).includes(text));
      const nowhere = `${JSON.stringify(text)} nowhere in the journal`;
      if (entry)
        add('trace_contains', 'the journal', nowhere, `it is in entry ${entry.seq} (${entry.kind})`, entry.seq);
    }
    for (const step of [visited].flat()) {
      const entry = entriesOf(observed, 'entered').find((each) => each.step === step);
      if (entry) add('visited', 'the path', `no visit of ${step}`, 'it was visited', entry.seq);
    }
    for (const prompt of [prompts].flat()) {
      const isHeard = heard.some(({ item }) => matchesPrompt(prompt, item));
      if (isHeard) add('heard', 'what is heard', `never ${prompt}`, listed(promptNames(heard)));
    }
    return found;
  },

  ended(expected, observed, pointer) {
    const wanted = typeof expected === 'string' ? { reason: expected } : expected;
    const ended = entriesOf(observed, 'ended').at(-1);
    const last = entriesOf(observed, 'state').findLast(({ cause }) => cause !== undefined);
    const actual: JsonObject = {
      reason: ended?.reason ?? 'not ended',
      state: last?.state ?? 'none',
      fault: ended?.fault?.code ?? 'none',
      cause: (typeof wanted.cause === 'string' ? last?.cause?.reason : last?.cause?.code) ?? 'none',
    };
    return Object.entries(wanted).flatMap(([key, value]) => {
      const seq = key === 'cause' || key === 'state' ? last?.seq : ended?.seq;
      return same({ what: `the ${key} of the end`, pointer: childPointer(pointer, key), seq }, value, actual[key]!);
    });
  },

  vars(expected, observed, pointer) {
    const { values, seqs } = finalVariables(observed);
    return Object.entries(expected).flatMap(([name, wanted]) => {
      const at = childPointer(pointer, name);
      if (!Object.hasOwn(observed.flow.vars, name)) return [unknown('variable', name, at)];
      return same({ what: `the variable ${name}`, pointer: at, seq: seqs[name] }, wanted, values[name]);
    });
  },

  output(expected, observed, pointer) {
    const ended = entriesOf(observed, 'ended').at(-1);
    return same({ what: 'the output', pointer, seq: ended?.seq }, expected, ended?.output);
  },

  notified(expected, observed, pointer) {
    const entries = entriesOf(observed, 'notified');
    const fits =
      expected.length === entries.length &&
      expected.every((each, index) => {
        const { event, body } = entries[index]!;
        if (typeof each === 'string') return each === event;
        return each.event === event && (each.body === undefined || includes(each.body, body));
      });
    if (fits) return [];
    const wanted = expected.map((each) => (typeof each === 'string' ? each : `${each.event} ${words(each.body)}`));
    const withBodies = expected.some((each) => typeof each !== 'string');
    const actual = entries.map(({ event, body }) => (withBodies ? `${event} ${words(body)}` : event));
    return sequence({ what: 'the notifications', pointer, seqOf: (index) => entries[index]?.seq }, wanted, actual);
  },

  requests(expected, observed, pointer) {
    const entries = entriesOf(observed, 'request').filter(
      (entry) => !isMessage(entry) && !isPayment(entry) && !entry.url.startsWith('call:'),
    );
    const requests = requestsOf(observed).map(({ name: step, method, url, headers, body = null }): JsonObject => {
      return { step, method, url, headers: asReceived(headers), body };
    });
    const wanted = expected.map(({ headers, ...rest }): JsonObject => {
      return headers === undefined ? rest : { ...rest, headers: asReceived(headers) };
    });
    return eachIncludes({ what: 'requests', pointer, seqOf: (index) => entries[index]?.seq }, wanted, requests);
  },

  messages: (expected, observed, pointer) => ordered('message', expected, observed, pointer),
  payments: (expected, observed, pointer) => ordered('payment', expected, observed, pointer),
  calls: (expected, observed, pointer) => ordered('call', expected, observed, pointer),

  received_digits: (expected, { caller }, pointer) =>
    same({ what: 'digits sent to the party', pointer }, expected, caller.farEnd.received),

  duration(expected, { journal }, pointer) {
    const tookMs = (journal.at(-1)?.atMs ?? 0) - (journal[0]?.atMs ?? 0);
    const { min = '0s', max } = typeof expected === 'string' ? { min: expected, max: expected } : expected;
    if (tookMs >= parseMs(min) && tookMs <= (optionalMs(max) ?? Number.POSITIVE_INFINITY)) return [];
    const wanted = min === max ? min : `${min} to ${max ?? 'any'}`;
    return [{ pointer, what: 'the duration', expected: wanted, actual: formatDuration(tookMs) }];
  },
};

/** Orders that a provider or the service carries out. Their requests are known by the scheme of their URL. */
function ordered(
  kind: 'message' | 'payment' | 'call',
  expected: readonly object[],
  observed: ObservedCall,
  pointer: string,
): Mismatch[] {
  const entries = entriesOf(observed, 'request').filter(({ url }) => url.startsWith(`${kind}:`));
  return eachIncludes(
    { what: `${kind}s`, pointer, seqOf: (index) => entries[index]?.seq },
    expected as JsonObject[],
    ordersOf(observed, kind),
  );
}

/** A name that the flow does not have is a mismatch; otherwise a misspelt expectation would always pass. */
function perStep<Wanted>(
  expected: Readonly<Record<string, Wanted>>,
  { flow, flows, journal }: ObservedCall,
  pointer: string,
  check: (step: string, wanted: Wanted, pointer: string) => Mismatch[],
): Mismatch[] {
  const visited = new Set(journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : [])));
  return Object.entries(expected).flatMap(([step, wanted]) => {
    const at = childPointer(pointer, step);
    return visited.has(step) || hasStep({ flow, flows }, step) ? check(step, wanted, at) : [unknown('step', step, at)];
  });
}

const unknown = (kind: string, name: string, pointer: string): Mismatch => ({
  pointer,
  what: `the ${kind} ${name}`,
  expected: `a ${kind} of the flow`,
  actual: `the flow has no ${kind} ${name}`,
});

function lastOfEach<E>(entries: readonly E[], idOf: (entry: E) => string): E[] {
  return [...new Map(entries.map((entry) => [idOf(entry), entry])).values()];
}

/** Replaces an expected range of frames with the actual number if that is in the range. */
function withFramesIn(wanted: NonNullable<Expect['streams']>[number], frames: Json | undefined): JsonObject {
  if (!wanted.frames || typeof frames !== 'number') return wanted;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = wanted.frames;
  return frames >= min && frames <= max ? { ...wanted, frames } : wanted;
}

/** Requests of the steps `pay` and `message`, by URL scheme. */
const isPayment = ({ url }: { url: string }): boolean => url.startsWith('payment:');
const isMessage = ({ url }: { url: string }): boolean => url.startsWith('message:');
