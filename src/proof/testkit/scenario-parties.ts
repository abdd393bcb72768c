/**
 * Parses the parties of a scenario that the flow calls, and their behaviour. `mock-parties.ts` selects the party of a
 * call, `scripted-party.ts` runs it.
 */
import { defined, mapValues } from '../../base/core/json.ts';
import type { Issue } from '../../base/schema/document.ts';
import { childPointer } from '../../base/schema/document.ts';
import { verbsWith } from '../../language/flow/verb-facts.ts';
import type { Answerer, CalleePlan, ReferPlan } from '../../media/telephony/simulated/far-end.ts';
import { optionalMs, parseMs } from './file-values.ts';
import type { OnRefer, Party, PartyManner, ScenarioForm } from './scenario-form.ts';

export interface PartyMock {
  plan: CalleePlan;
  /** Keys, one item after each prompt. */
  presses: string[];
  /** Sentences, said once the party is connected to another one. */
  says: string[];
  refers?: { to: string; afterMs: number };
  onRefer?: ReferPlan;
}

/** By number: one behaviour for all calls, or a list for consecutive ones. */
export type PartyMocks = Readonly<Record<string, PartyMock | readonly PartyMock[]>>;

type Mocks = NonNullable<ScenarioForm['mocks']>;

/** Key of `mocks` with parties by number: a verb that calls parties. */
export type PartyMockKey = {
  [Word in keyof Mocks]-?: Record<string, Party> extends NonNullable<Mocks[Word]> ? Word : never;
}[keyof Mocks];
export const PARTY_MOCK_KEYS = verbsWith(({ simulated }) => simulated === 'parties') as PartyMockKey[];
/** Key of parties that a step of any other verb calls. */
export const USUAL_PARTY_KEY: PartyMockKey = 'bridge';

const DEFAULT_GREETING = '4s';
const DEFAULT_REFERS_AFTER = '5s';

export const partiesOf = (mocks: Mocks): Partial<Record<PartyMockKey, PartyMocks>> =>
  Object.fromEntries(PARTY_MOCK_KEYS.map((word) => [word, mapValues(mocks[word] ?? {}, mocksOf)]));

const mocksOf = (party: Party | Party[]): PartyMock | PartyMock[] =>
  Array.isArray(party) ? party.map(partyOf) : partyOf(party);

export function partyOf(party: Party): PartyMock {
  const manner: PartyManner = typeof party === 'string' ? {} : party;
  const {
    presses = [],
    says = [],
    refers_to: to,
    refers_after: after = DEFAULT_REFERS_AFTER,
    on_refer: onRefer,
  } = manner;
  return defined({
    plan: defined<CalleePlan>({
      ...(typeof party === 'string' ? planOfWord(party) : planOf(party)),
      headers: manner.headers,
    }),
    presses: [presses].flat(),
    says: [says].flat(),
    refers: to === undefined ? undefined : { to, afterMs: parseMs(after) },
    onRefer: onRefer === undefined ? undefined : referPlanOf(onRefer),
  });
}

function planOf(manner: PartyManner): CalleePlan {
  for (const does of ['busy', 'declined', 'unreachable'] as const) {
    const after = manner[`${does}_after`];
    if (after !== undefined) return { does, afterMs: parseMs(after) };
  }
  if (manner.sip_status !== undefined) return { does: 'fail', sipStatus: manner.sip_status };
  const rings = {
    ringsAfterMs: optionalMs(manner.ring_after),
    earlyMediaAfterMs: optionalMs(manner.early_media),
  };
  if (manner.no_answer) return defined<CalleePlan>({ does: 'no_answer', ...rings });
  return defined<CalleePlan>({
    does: 'answer',
    ...rings,
    afterMs: optionalMs(manner.answer_after),
    talkMs: optionalMs(manner.talk),
    who: answererOf(manner.is ?? 'human', manner),
  });
}

function planOfWord(word: Exclude<Party, PartyManner>): CalleePlan {
  if (word === 'busy' || word === 'declined' || word === 'unreachable' || word === 'no_answer') return { does: word };
  return { does: 'answer', who: answererOf(word === 'answer' ? 'human' : word, {}) };
}

function answererOf(is: Answerer['is'], { greeting = DEFAULT_GREETING, beep_after: beep }: PartyManner): Answerer {
  return is === 'machine'
    ? defined<Answerer>({ is, greetingMs: parseMs(greeting), beepAfterMs: optionalMs(beep) })
    : { is };
}

export const referPlanOf = (written: OnRefer): ReferPlan =>
  typeof written === 'number' ? { does: 'refuse', sipStatus: written } : { does: written };

/** Behaviours of an unanswered call: each excludes the others and everything after an answer. */
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

/** Reports keys that exclude each other, which the schema cannot check. */
export function partyIssues(party: Party | Party[], pointer: string): Issue[] {
  if (Array.isArray(party)) return party.flatMap((each, at) => partyIssues(each, childPointer(pointer, at)));
  if (typeof party === 'string') return [];
  const contradiction = (key: string, message: string, hint?: string): Issue[] => [
    { code: 'wrong-value', message, pointer: childPointer(pointer, key), atKey: true, hint },
  ];
  const keys = Object.keys(party);
  const [never, ...others] = keys.filter((key) => NOT_ANSWERED_KEYS.includes(key));
  const other = others[0] ?? (never === undefined ? undefined : keys.find((key) => ANSWERED_KEYS.includes(key)));
  if (other !== undefined) return contradiction(other, `a party with ${never} has no ${other}`);
  const machine = keys.find((key) => MACHINE_KEYS.includes(key));
  if (machine !== undefined && party.is !== 'machine') {
    return contradiction(machine, `${machine} is for machines`, 'add is: machine');
  }
  if (party.refers_after !== undefined && party.refers_to === undefined) {
    return contradiction('refers_after', 'refers_after needs refers_to');
  }
  return [];
}
