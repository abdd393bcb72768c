/**
 * A test of a recorded call: what the caller did, how the world answered, and the way that it took. What was masked stays
 * masked: its author writes something in its place. Neighbour: `take-over.tsx`.
 */
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../core/json.ts';
import { MASK } from '../../../core/mask-url.ts';
import { type CallerAct, callerActsOf } from '../journal/acts.ts';
import { beginOf, type Entry, type HttpAnswer } from '../journal/entries.ts';
import { type Outside, outsideOf } from '../journal/outside.ts';
import { type Sound, soundsOf } from '../journal/sounds.ts';
import { type Visit, visitsOf } from '../journal/visits.ts';

export interface TestOfCall {
  text: string;
  /** Something was masked: the test needs a hand before it passes. */
  isMasked: boolean;
}

export function testOfCall(journal: readonly Entry[], flow: string, title: string): TestOfCall {
  const visits = visitsOf(journal);
  const outside = outsideOf(journal);
  const started = journal.find((entry) => entry.kind === 'started');
  const mocks = { ...requestMocks(outside, visits), ...partyMocks(outside, visits) };
  const path = visits.filter(({ depth, branch }) => depth === 0 && branch === undefined).map(({ step }) => step);
  const script = scriptOf(journal, visits);
  const text = stringify(
    {
      test: title,
      flow,
      at: new Date(beginOf(journal)).toISOString(),
      ...(started !== undefined && { call: { from: started.from, to: started.to, ...directionOf(started.direction) } }),
      ...(started !== undefined && Object.keys(started.input ?? {}).length > 0 && { input: started.input }),
      ...(Object.keys(mocks).length > 0 && { mocks }),
      ...(script.length > 0 && { script }),
      ...(path.length > 0 && { expect: { path } }),
    },
    { lineWidth: 0 },
  );
  return { text, isMasked: text.includes(MASK) };
}

const directionOf = (direction: 'inbound' | 'outbound'): JsonObject => (direction === 'outbound' ? { direction } : {});

/** Neither a sound nor an act: patience was over. */
interface Happened {
  seq: number;
  sound?: Sound;
  act?: CallerAct;
}

/** What the caller did, and before it what it had heard. */
function scriptOf(journal: readonly Entry[], visits: readonly Visit[]): Json[] {
  const sounds = soundsOf(journal).filter(({ leg }) => leg === undefined);
  const happened: Happened[] = [
    ...sounds.map((sound) => ({ seq: sound.seq, sound })),
    ...callerActsOf(journal).map((act) => ({ seq: act.seq, act })),
    ...patienceOf(journal, visits).map((seq) => ({ seq })),
  ].sort((one, other) => one.seq - other.seq);
  const script: Json[] = [];
  for (const each of happened) {
    if (each.sound !== undefined) hear(script, each.sound);
    else if (each.act !== undefined) act(script, each.act, sounds);
    else script.push('silence');
  }
  return script;
}

function hear(script: Json[], { names, text }: Sound): void {
  const wanted = names[0] ?? text;
  if (wanted === '' || wanted.includes(MASK) || wanted.startsWith('♪')) return;
  const last = script.at(-1);
  if (last !== null && typeof last === 'object' && 'hear' in last) {
    const heard = (last as JsonObject)['hear']!;
    script[script.length - 1] = { hear: [...(Array.isArray(heard) ? heard : [heard]), wanted] };
  } else {
    script.push({ hear: wanted });
  }
}

function act(script: Json[], done: CallerAct, sounds: readonly Sound[]): void {
  switch (done.act) {
    case 'pressed':
      press(script, done, sounds);
      break;
    case 'spoke':
      if (done.text !== undefined) script.push({ say: done.text });
      else script.push({ speak: `${Math.max(1, Math.round(((done.toMs ?? done.fromMs) - done.fromMs) / 1000))}s` });
      break;
    case 'held':
      script.push({ hold: done.held });
      break;
    case 'referred':
      script.push({ refer: done.to });
      break;
    default:
      script.push('hang_up');
  }
}

/** Keys that follow each other are one line; one that fell into a prompt says when. */
function press(script: Json[], { digit, fromMs }: CallerAct & { digit: string }, sounds: readonly Sound[]): void {
  const last = script.at(-1);
  const known = last !== null && typeof last === 'object' && !Array.isArray(last) ? last['press'] : undefined;
  if (typeof known === 'string') {
    script[script.length - 1] = { press: known + digit };
    return;
  }
  if (known !== undefined && known !== null && typeof known === 'object' && !Array.isArray(known)) {
    known['digits'] = `${known['digits']}${digit}`;
    return;
  }
  // The sound that the key cut short ended with it.
  const playing = sounds.findLast(
    (sound) => sound.fromMs <= fromMs && (sound.toMs === undefined || sound.toMs >= fromMs),
  );
  const isInto = playing !== undefined && (playing.cut || playing.toMs === undefined || playing.toMs > fromMs);
  script.push({ press: isInto ? { digits: digit, at: `${Math.round(fromMs - playing.fromMs)}ms` } : digit });
}

/** The entries at which a step that asks ran out of patience. */
function patienceOf(journal: readonly Entry[], visits: readonly Visit[]): number[] {
  const verbs = new Map(visits.map(({ visit, verb }) => [visit, verb]));
  const asks = new Map<number, boolean>();
  return journal.flatMap((entry) => {
    if (entry.kind === 'timer') asks.set(entry.timer, /^(menu|collect)$/.test(verbs.get(entry.visit) ?? ''));
    const isOver = entry.kind === 'in' && entry.input.type === 'deadline' && asks.get(entry.input.timer);
    return isOver ? [entry.seq] : [];
  });
}

function requestMocks(outside: readonly Outside[], visits: readonly Visit[]): JsonObject {
  const steps = new Map(visits.map(({ visit, step }) => [visit, step]));
  const answers = new Map<string, Json[]>();
  for (const each of outside) {
    const step = each.what === 'request' ? steps.get(each.visit) : undefined;
    if (each.what !== 'request' || step === undefined) continue;
    answers.set(step, [...(answers.get(step) ?? []), answerMock(each.answer)]);
  }
  return Object.fromEntries([...answers].map(([step, list]) => [step, list.length === 1 ? list[0]! : list]));
}

function answerMock(answer: HttpAnswer | undefined): JsonObject {
  if (answer === undefined || answer.reason === 'timeout') return { timeout: true };
  if (answer.status === undefined) return { network: true };
  return { status: answer.status, ...(answer.body !== undefined && { body: answer.body }) };
}

function partyMocks(outside: readonly Outside[], visits: readonly Visit[]): JsonObject {
  const verbs = new Map(visits.map(({ visit, verb }) => [visit, verb]));
  const mocks: Record<string, Record<string, Json[]>> = {};
  for (const each of outside) {
    const verb = each.what === 'party' ? verbs.get(each.visit) : undefined;
    if (each.what !== 'party' || verb === undefined || !/^(bridge|transfer|queue)$/.test(verb)) continue;
    mocks[verb] ??= {};
    mocks[verb][each.to] = [...(mocks[verb][each.to] ?? []), partyMock(each)];
  }
  return Object.fromEntries(
    Object.entries(mocks).map(([verb, parties]) => [
      verb,
      Object.fromEntries(Object.entries(parties).map(([to, list]) => [to, list.length === 1 ? list[0]! : list])),
    ]),
  );
}

function partyMock({ fromMs, toMs, answeredMs, cause = '' }: Extract<Outside, { what: 'party' }>): Json {
  const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))}s`;
  if (answeredMs !== undefined) {
    const answered: JsonObject = { answer_after: seconds(answeredMs - fromMs) };
    return toMs === undefined ? answered : { ...answered, talk: seconds(toMs - answeredMs) };
  }
  if (/busy/i.test(cause)) return 'busy';
  return /reject|declin/i.test(cause) ? 'declined' : 'no_answer';
}
