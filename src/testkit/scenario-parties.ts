/**
 * Reads the parties of a scenario: those that the flow calls, and what they do. Neighbours: `mock-parties.ts` finds the party of
 * a call, `scripted-party.ts` lets it act.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Issue } from '../schema/document.ts';
import { childPointer } from '../schema/document.ts';
import type { Answerer, CalleePlan, ReferPlan } from '../telephony/simulated/far-end.ts';
import { objectAt, optionalMs, parseMs, stringsIn } from './file-values.ts';

export interface PartyMock {
  plan: CalleePlan;
  /** Keys, pressed after one prompt after the other. */
  presses: string[];
  /** Said once it hears somebody. */
  says: string[];
  refers?: { to: string; afterMs: number };
  onRefer?: ReferPlan;
}

/** By number: one for all calls, or one for each. */
export type PartyMocks = Readonly<Record<string, PartyMock | readonly PartyMock[]>>;

/** The words of `mocks` that stand for verbs, not for steps. */
export const PARTY_MOCK_KEYS = ['bridge', 'transfer', 'queue'] as const;
export type PartyMockKey = (typeof PARTY_MOCK_KEYS)[number];

const DEFAULT_GREETING_MS = 4_000;
const DEFAULT_REFERS_AFTER_MS = 5_000;

export function partiesOf(mocks: JsonObject): Partial<Record<PartyMockKey, PartyMocks>> {
  return Object.fromEntries(
    PARTY_MOCK_KEYS.filter((word) => mocks[word] !== undefined).map((word) => {
      const parties = Object.entries(objectAt(mocks, word));
      return [word, Object.fromEntries(parties.map(([to, written]) => [to, mocksOf(written)]))];
    }),
  );
}

const mocksOf = (written: Json): PartyMock | PartyMock[] =>
  Array.isArray(written) ? written.map(partyOf) : partyOf(written);

/** A word, or a map. */
export function partyOf(written: Json): PartyMock {
  const given = isObject(written) ? written : {};
  const refersTo = given['refers_to'];
  return {
    plan: calleeOf(written),
    presses: stringsIn(given['presses']),
    says: stringsIn(given['says']),
    ...(refersTo === undefined
      ? {}
      : { refers: { to: String(refersTo), afterMs: msOr(given['refers_after'], DEFAULT_REFERS_AFTER_MS) } }),
    ...(given['on_refer'] === undefined ? {} : { onRefer: referPlanOf(given['on_refer']) }),
  };
}

function calleeOf(written: Json): CalleePlan {
  if (!isObject(written)) return planOfWord(String(written));
  for (const [does, key] of REFUSALS) {
    if (written[key] !== undefined) return { does, afterMs: parseMs(written[key]) };
  }
  if (typeof written['sip_status'] === 'number') return { does: 'fail', sipStatus: written['sip_status'] };
  const rings = {
    ...optionalMs('ringsAfterMs', written['ring_after']),
    ...optionalMs('earlyMediaAfterMs', written['early_media']),
  };
  if (written['no_answer'] === true) return { does: 'no_answer', ...rings };
  return {
    does: 'answer',
    ...rings,
    ...optionalMs('afterMs', written['answer_after']),
    ...optionalMs('talkMs', written['talk']),
    who: answererOf(String(written['is'] ?? 'human'), written),
  };
}

const REFUSALS = [
  ['busy', 'busy_after'],
  ['declined', 'declined_after'],
  ['unreachable', 'unreachable_after'],
] as const;

function planOfWord(word: string): CalleePlan {
  if (word === 'busy' || word === 'declined' || word === 'unreachable' || word === 'no_answer') return { does: word };
  return { does: 'answer', who: answererOf(word === 'answer' ? 'human' : word, {}) };
}

function answererOf(word: string, given: JsonObject): Answerer {
  if (word !== 'machine') return { is: word as Exclude<Answerer['is'], 'machine'> };
  return {
    is: 'machine',
    greetingMs: msOr(given['greeting'], DEFAULT_GREETING_MS),
    ...optionalMs('beepAfterMs', given['beep_after']),
  };
}

export function referPlanOf(written: Json): ReferPlan {
  if (typeof written === 'number') return { does: 'refuse', sipStatus: written };
  return { does: written as 'accept' | 'ignore' | 'hang_up' };
}

const msOr = (written: Json | undefined, otherwiseMs: number): number =>
  written === undefined ? otherwiseMs : parseMs(written);

/** Calls that are not answered: each excludes the others, and everything that happens after an answer. */
const NOT_ANSWERED_KEYS = ['no_answer', 'busy_after', 'declined_after', 'unreachable_after', 'sip_status'];
const ANSWERED_KEYS = [
  'answer_after',
  'talk',
  'is',
  'greeting',
  'beep_after',
  'presses',
  'says',
  'refers_to',
  'refers_after',
  'on_refer',
];
const MACHINE_KEYS = ['greeting', 'beep_after'];

/** Keys that exclude each other, which the schema cannot check. */
export function partyIssues(written: Json, pointer: string): Issue[] {
  if (Array.isArray(written)) return written.flatMap((each, at) => partyIssues(each, childPointer(pointer, at)));
  if (!isObject(written)) return [];
  const keys = Object.keys(written);
  const [never, ...others] = keys.filter((key) => NOT_ANSWERED_KEYS.includes(key));
  const other = others[0] ?? (never === undefined ? undefined : keys.find((key) => ANSWERED_KEYS.includes(key)));
  if (never !== undefined && other !== undefined) {
    return [contradiction(childPointer(pointer, other), `a party with ${never} has no ${other}`)];
  }
  const machine = keys.find((key) => MACHINE_KEYS.includes(key));
  if (machine !== undefined && written['is'] !== 'machine') {
    return [contradiction(childPointer(pointer, machine), `${machine} is for machines`, 'add is: machine')];
  }
  if (written['refers_after'] !== undefined && written['refers_to'] === undefined) {
    return [contradiction(childPointer(pointer, 'refers_after'), 'refers_after needs refers_to')];
  }
  return [];
}

const contradiction = (pointer: string, message: string, hint?: string): Issue => ({
  code: 'wrong-value',
  message,
  pointer,
  atKey: true,
  ...(hint === undefined ? {} : { hint }),
});
