/**
 * Choice of a caller, an external service or a called party at one point of a call, and the conversion of a list of
 * choices to a test. `options.ts` lists the choices, `play-choices.ts` plays them.
 *
 * Invariant: the test has exactly the acts of the explored call; no act is added to it.
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
  /** The caller does not act and lets the step continue. */
  | 'pass';

export interface Choice {
  kind: ChoiceKind;
  /** Description such as `press 1` or `look_up: 404`; unique among the choices at one point. */
  label: string;
  /** Acts added to the script. */
  acts?: readonly Act[];
  /** Response to the next request of the step. */
  reply?: { step: string; reply: Reply };
  /** Behaviour of the next party that is dialled at the number. */
  party?: { word: PartyMockKey; to: string; party: Party };
  /** True if no schema and no test guarantees the value. */
  isInvented?: boolean;
  /** True if a test in the flow's folder has the same response. */
  isTested?: boolean;
  /** True if the party behaves like this in every attempt. */
  isAlways?: boolean;
  /** Step runs in which the caller does not act again. */
  passes?: readonly number[];
  /** True if the caller does not act again in the call. */
  isLast?: boolean;
}

type Mocks = NonNullable<ScenarioForm['mocks']>;

/** Conditions at the start of a call: time, caller, input, rooms, behaviour of stream receivers, state of queues. */
export type Setup = Pick<
  ScenarioForm,
  'at' | 'seed' | 'call' | 'input' | 'env' | 'timezone' | 'schedules' | 'rooms' | 'others' | 'secrets'
> & { stream?: Mocks['stream']; queues?: Mocks['check_queue'] };

/** Converts choices to a test. `exact`: each reply serves one request only, so that the next request is a new stop. */
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
  // Equal values are written once, not as a list.
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

/** Returns the labels of the choices, such as `press 1, look_up: 404, silence`. */
export const inWords = (choices: readonly Choice[]): string =>
  choices.length === 0 ? 'at once' : choices.map(({ label }) => label).join(', ');
