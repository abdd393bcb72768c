/** Renames of names in an edited flow, and what lasts of them until the save. */
import { expect, it } from 'vitest';
import { graphLanguageOf } from '../../../src/language/flow/graph-language.ts';
import {
  followed,
  lastingRenames,
  placesOf,
  type Renamed,
  refusalOfRename,
  renameInCaller,
  renameInFlow,
  renameInTest,
} from '../../../src/pages/studio/web/renames/renamed.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const LANGUAGE = graphLanguageOf(verbs);

const defined = (...names: string[]): Parameters<typeof lastingRenames>[1] => {
  return ({ kind, name, step, within }) =>
    names.includes([within, kind, step, name].filter((part) => part !== undefined).join(' '));
};

it('joins two renames of a name, and leaves out undone ones', () => {
  const renames: Renamed[] = [
    { kind: 'step', from: 'a', to: 'b' },
    { kind: 'variable', from: 'b', to: 'd' },
    { kind: 'step', from: 'b', to: 'c' },
    { kind: 'step', from: 'x', to: 'y' },
    { kind: 'input', from: 'c', to: 'e' },
  ];
  expect(lastingRenames(renames, defined('step c', 'step x', 'variable d', 'input c'))).toEqual([
    { kind: 'step', from: 'a', to: 'c' },
    { kind: 'variable', from: 'b', to: 'd' },
  ]);
});

it('names the step of a choice as it is named at last', () => {
  const renames: Renamed[] = [
    { kind: 'choice', step: 'menu', from: 'hours', to: 'times' },
    { kind: 'step', from: 'menu', to: 'ask' },
    { kind: 'choice', step: 'ask', from: 'times', to: 'open' },
  ];
  expect(lastingRenames(renames, defined('step ask', 'choice ask open'))).toEqual([
    { kind: 'step', from: 'menu', to: 'ask' },
    { kind: 'choice', step: 'ask', from: 'hours', to: 'open' },
  ]);
});

it('renames an input in its flow, which calls itself, in callers and in tests, and counts the places', () => {
  const call = 'subflow: { flow: shop, input: { name: Ann } }';
  const flow = `flow: shop\ninput: { name: { type: string } }\nstart: a\nsteps:\n  a: { play: "\${ input.name }", next: b }\n  b: { ${call} }\n`;
  const caller = `flow: door\nstart: b\nsteps:\n  b: { ${call} }\n`;
  const test = 'flow: shop\ninput: { name: Ann }\n';
  const renamed: Renamed = { kind: 'input', from: 'name', to: 'who' };
  const made = [
    renameInFlow(flow, 'shop', renamed, LANGUAGE),
    renameInCaller(caller, 'shop', renamed, LANGUAGE),
    renameInTest(test, 'shop', renamed, LANGUAGE),
    renameInCaller(flow, 'other', renamed, LANGUAGE),
  ];
  const after = (text: string): string => text.replaceAll(/\bname\b(?!d)/g, 'who');
  expect([flow, caller, test].map((text, index) => followed(text, made[index]!))).toEqual(
    [flow, caller, test].map(after),
  );
  expect(placesOf(made)).toEqual({ places: 5, files: 3 });
});

it('renames a choice in properties of its flow, and in the outcomes and mocks of tests', () => {
  const renamed: Renamed = { kind: 'choice', step: 'menu', from: 'hours', to: 'times' };
  const flow = `flow: shop
start: menu
properties: { opens: { never: menu.hours } }
steps:
  menu:
    menu: { prompt: For hours press 1., choices: { hours: { dtmf: "1" } } }
    exits: { hours: $end, exhausted: $end }
`;
  const tests = 'flow: shop\nmocks: { menu: [timeout, hours] }\nexpect: { outcomes: { menu: hours } }\n';
  expect(followed(flow, renameInFlow(flow, 'shop', renamed, LANGUAGE))).toBe(
    flow.replace('menu.hours', 'menu.times').replaceAll('{ hours:', '{ times:'),
  );
  expect(followed(tests, renameInTest(tests, 'shop', renamed, LANGUAGE))).toBe(tests.replaceAll('hours', 'times'));
});

it.each([
  ['variable', 'kind', 'There is kind already'],
  ['variable', 'a-b', 'Letters, digits and _, and no digit first'],
  ['prompt', 'a-b', undefined],
  ['prompt', '1', 'Letters, digits, _ and -, and no digit first'],
  ['step', 'kind', undefined],
  ['step', 'a b', 'Letters, digits, _ and -, and no digit first'],
] as const)('refuses the %s name %s', (kind, to, refused) => {
  expect(refusalOfRename(({ kind: of, name }) => of === 'variable' && name === 'kind', { kind, from: 'x', to })).toBe(
    refused,
  );
});
