/** Index of the steps that lead to a step. */
import { expect, it } from 'vitest';
import type { StepDraft } from '../../src/language/flow/flow-draft.ts';
import { stepsBefore } from '../../src/language/flow/flow-draft.ts';
import { check } from './check-flow.ts';

const MENUS = 300;
const names = Array.from({ length: MENUS }, (_, index) => `menu_${index}`);
const TEXT = `flow: many
prompts: { again: Once more please. }
defaults: { input: { no_input: [again], no_match: [again] }, exits: { error: bye } }
start: menu_0
steps:
${names.map((name, index) => `  ${name}: { menu: { prompt: "For more press 1.", choices: { more: { dtmf: "1" }, other: { dtmf: "2" } } }, exits: { more: ${names[index + 1] ?? 'bye'}, other: bye, exhausted: bye } }`).join('\n')}
  bye: { hangup: normal }
`;

/** Counts how often all entries are read. */
class CountingMap<Value> extends Map<string, Value> {
  reads = 0;

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    this.reads += 1;
    return super[Symbol.iterator]();
  }
}

it('reads the steps of a flow once for all of its menus', () => {
  const steps = new CountingMap<StepDraft>();
  check(TEXT, { onDraft: (draft) => draft.steps.forEach((step, name) => void steps.set(name, step)) });
  expect(steps.size).toBe(MENUS + 1);
  const found = names.map((name) => stepsBefore(steps.get(name)!, { steps }).map(({ compiled }) => compiled.name));
  expect(found.slice(0, 3)).toEqual([[], ['menu_0'], ['menu_1']]);
  expect(stepsBefore(steps.get('bye')!, { steps })).toHaveLength(MENUS);
  expect(steps.reads).toBe(1);
});
