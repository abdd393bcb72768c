/**
 * What the outside does at one moment of a call, and the test that a list of such choices makes. Neighbours: `options.ts` says
 * what may be chosen, `play-choices.ts` plays it.
 *
 * Invariant: the test is the call that was explored, act for act: nothing is added when it is written.
 */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import type { Act, Party, Reply, ScenarioForm } from '../testkit/scenario-form.ts';
import type { PartyMockKey } from '../testkit/scenario-parties.ts';

export type ChoiceKind =
  | 'key'
  | 'wrong'
  | 'silence'
  | 'hang_up'
  | 'speech'
  | 'event'
  | 'reply'
  | 'party'
  /** The caller lets a step go on. */
  | 'pass';

export interface Choice {
  kind: ChoiceKind;
  /** In words, such as `press 1` or `look_up: 404`. Two choices at one moment differ in it. */
  label: string;
  /** Lines of the script. */
  acts?: readonly Act[];
  /** To the next request of the step. */
  reply?: { step: string; reply: Reply };
  /** The next party that answers for the number. */
  party?: { word: PartyMockKey; to: string; party: Party };
  /** A value that no schema and no test promises. */
  isInvented?: boolean;
  /** A test beside the flow answers the same, and shows what the step makes of it. */
  isTested?: boolean;
  /** It does the same each time. */
  isAlways?: boolean;
  /** Step runs in which the caller does nothing more. */
  passes?: readonly number[];
  /** The caller does nothing more at all. */
  isLast?: boolean;
}

type Mocks = NonNullable<ScenarioForm['mocks']>;

/** What holds from the beginning of a call: time, caller, input, rooms, what receivers of streams do, what queues are like. */
export type Setup = Pick<
  ScenarioForm,
  'at' | 'seed' | 'call' | 'input' | 'env' | 'timezone' | 'schedules' | 'rooms' | 'others' | 'secrets'
> & { stream?: Mocks['stream']; queues?: Mocks['check_queue'] };

/** As in a test file. `exact`: every answer stands for one request, so that the next one is open. */
export function formOf(
  name: string,
  flow: string,
  { stream, queues, ...setup }: Setup,
  choices: readonly Choice[],
  { exact = false } = {},
): ScenarioForm {
  const replies = new Map<string, Reply[]>();
  const parties = new Map<PartyMockKey, Map<string, Party | Party[]>>();
  for (const { reply, party, isAlways } of choices) {
    if (reply) replies.set(reply.step, [...(replies.get(reply.step) ?? []), reply.reply]);
    if (!party) continue;
    const known = parties.get(party.word) ?? new Map<string, Party | Party[]>();
    const before = known.get(party.to) ?? [];
    const isOpen = Array.isArray(before);
    parties.set(party.word, known.set(party.to, isAlways || !isOpen ? party.party : [...before, party.party]));
  }
  // What is the same each time is written once.
  const listed = <Value>(values: Value | Value[]): Json => {
    const isOne = !exact && Array.isArray(values) && new Set(values.map((value) => JSON.stringify(value))).size === 1;
    return (isOne ? values[0] : values) as unknown as Json;
  };
  const mocks: JsonObject = Object.fromEntries([
    ...(stream === undefined ? [] : [['stream', stream as Json] as const]),
    ...(queues === undefined ? [] : [['check_queue', queues as Json] as const]),
    ...[...replies].map(([step, each]) => [step, listed(each)] as const),
    ...[...parties].map(
      ([word, numbers]) => [word, Object.fromEntries([...numbers].map(([to, each]) => [to, listed(each)]))] as const,
    ),
  ]);
  const script = choices.flatMap(({ acts = [] }) => acts);
  return defined({
    test: name,
    flow,
    ...setup,
    mocks: Object.keys(mocks).length === 0 ? undefined : mocks,
    script: script.length === 0 ? undefined : script,
  }) as ScenarioForm;
}

/** The choices in words, for people: `press 1, look_up: 404, silence`. */
export const inWords = (choices: readonly Choice[]): string =>
  choices.length === 0 ? 'at once' : choices.map(({ label }) => label).join(', ');
