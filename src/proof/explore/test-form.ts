/**
 * Converts a setup and the actions chosen in a call to a test. `actions-at.ts` lists the actions, `play-choices.ts`
 * plays them.
 *
 * Invariant: the test has exactly the acts of the explored call; no act is added to it.
 */
import { defined, type Json } from '../../base/core/json.ts';
import type { Party, Reply, ScenarioForm } from '../testkit/scenario-form.ts';
import { PARTY_MOCK_KEYS, type PartyMockKey } from '../testkit/scenario-parties.ts';
import type { Action } from './actions/action.ts';
import type { Setup } from './actions/setup.ts';

/** Converts choices to a test. `exact`: each reply serves one request only, so that the next request is a new stop. */
export function formOf(
  name: string,
  flow: string,
  { mocks: given = {}, ...setup }: Setup,
  choices: readonly Action[],
  { exact = false } = {},
): ScenarioForm {
  const replies = new Map<string, Reply[]>();
  const parties = new Map<PartyMockKey, Map<string, Party | Party[]>>(
    PARTY_MOCK_KEYS.flatMap((word) => (given[word] ? [[word, new Map(Object.entries(given[word]))]] : [])),
  );
  for (const { reply, party, isAlways } of choices) {
    if (reply) {
      const before = replies.get(reply.step) ?? listOf((given as Record<string, Reply | Reply[]>)[reply.step]);
      replies.set(reply.step, [...before, reply.reply]);
    }
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
  const mocks = {
    ...given,
    ...Object.fromEntries([...replies].map(([step, each]) => [step, listed(each)])),
    ...Object.fromEntries(
      [...parties].map(([word, numbers]) => [
        word,
        Object.fromEntries([...numbers].map(([to, each]) => [to, listed(each)])),
      ]),
    ),
  };
  const script = choices.flatMap(({ acts = [] }) => acts);
  return defined({
    test: name,
    flow,
    ...setup,
    mocks: Object.keys(mocks).length === 0 ? undefined : mocks,
    script: script.length === 0 ? undefined : script,
  }) as ScenarioForm;
}

const listOf = <Value>(values: Value | Value[] | undefined): Value[] =>
  values === undefined ? [] : Array.isArray(values) ? values : [values];

/** Returns the labels of the choices, such as `press 1, look_up: 404, silence`. */
export const inWords = (choices: readonly Action[]): string =>
  choices.length === 0 ? 'at once' : choices.map(({ label }) => label).join(', ');
