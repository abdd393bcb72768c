/** Renames of variables, inputs and prompts: every place in flows, callers and tests, and nothing else. */
import { describe, expect, test } from 'vitest';
import { graphLanguageOf } from '../../../src/language/flow/graph-language.ts';
import { applyEdits, type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { renameInputInCaller, renameName, renameNameInTest } from '../../../src/language/flow/text/rename-names.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const LANGUAGE = graphLanguageOf(verbs);

const FLOW = `flow: shop
start: ask
input:
  name: { type: string, default: "name" } # name of the shop
vars:
  name: { type: string, default: closed }
  order: { type: object, default: {} }
prompts:
  closed: We are closed.
  open: We are open for name and closed.
  ask: "Which name, \${ vars.name }?"
defaults:
  input: { no_input: closed, no_match: [ closed, open ] }
  exits: { error: bye, hangup: $end }
flows:
  inner:
    start: say
    vars: { name: { type: string, default: x } }
    steps:
      say: { play: closed, set: { name: "\${ vars.name }" }, next: end }
      end: { return: done }
  own:
    start: say
    prompts: { closed: Mine. }
    steps:
      say: { play: closed, next: end }
      end: { return: done }
steps:
  ask:
    collect: { prompt: [ ask, closed ], digits: { length: 4 } }
    set: { name: "\${ vars.name & 'vars.name' & input.name & vars.order.name }" }
    exits: { collected: which, exhausted: bye }
  which:
    set: { name: "closed" }
    when: vars.name = 'closed' and vars.\`name\` != input.name
    next: say
  say: { play: "\${ vars.order.late ? 'closed' : 'open' }", next: name }
  name: { play: "\${ vars.name }", next: bye }
  bye: { hangup: {} }
`;

const applied = (text: string, edits: Edits): string => {
  if (isRefusal(edits)) throw new Error(edits.refused);
  return applyEdits(text, edits);
};

/** Lines that differ, as they are afterwards. */
const changed = (text: string, edits: Edits): string[] => {
  const before = text.split('\n');
  return applied(text, edits)
    .split('\n')
    .filter((line, index) => line !== before[index])
    .map((line) => line.trim());
};

describe('a variable', () => {
  test('is renamed where it is declared, assigned and read, and nowhere else', () => {
    expect(changed(FLOW, renameName(FLOW, 'variable', { from: 'name', to: 'title' }, LANGUAGE))).toEqual([
      'title: { type: string, default: closed }',
      `ask: "Which name, \${ vars.title }?"`,
      `set: { title: "\${ vars.title & 'vars.name' & input.name & vars.order.name }" }`,
      'set: { title: "closed" }',
      "when: vars.title = 'closed' and vars.`title` != input.name",
      'name: { play: "${ vars.title }", next: bye }',
    ]);
  });

  test('changes in its local flow only if that flow declares it', () => {
    const within = ['flows', 'inner'];
    const edits = renameName(FLOW, 'variable', { from: 'name', to: 'title', within }, LANGUAGE);
    expect(changed(FLOW, edits)).toEqual([
      'vars: { title: { type: string, default: x } }',
      `say: { play: closed, set: { title: "\${ vars.title }" }, next: end }`,
    ]);
  });
});

describe('an input', () => {
  test('is renamed where it is declared and read', () => {
    expect(changed(FLOW, renameName(FLOW, 'input', { from: 'name', to: 'shop' }, LANGUAGE))).toEqual([
      'shop: { type: string, default: "name" } # name of the shop',
      `set: { name: "\${ vars.name & 'vars.name' & input.shop & vars.order.name }" }`,
      "when: vars.name = 'closed' and vars.`name` != input.shop",
    ]);
  });

  test('is renamed in the steps that call the flow, and in no others', () => {
    const caller = `flow: main
start: go
steps:
  go: { subflow: { flow: shop, input: { name: "\${ input.name }" } }, exits: { done: all, error: all } }
  all: { for_each: { list: [ 1 ], flow: shop, input: { name: x } }, next: other }
  other: { subflow: { flow: another, input: { name: x } }, next: short }
  short: { subflow: shop, next: $end }
`;
    expect(changed(caller, renameInputInCaller(caller, ['shop'], { from: 'name', to: 'shop' }, LANGUAGE))).toEqual([
      `go: { subflow: { flow: shop, input: { shop: "\${ input.name }" } }, exits: { done: all, error: all } }`,
      'all: { for_each: { list: [ 1 ], flow: shop, input: { shop: x } }, next: other }',
    ]);
  });
});

describe('a prompt', () => {
  test('is renamed in all places for prompts, and where an expression or a variable chooses it', () => {
    expect(changed(FLOW, renameName(FLOW, 'prompt', { from: 'closed', to: 'shut' }, LANGUAGE))).toEqual([
      'name: { type: string, default: shut }',
      'shut: We are closed.',
      'input: { no_input: shut, no_match: [ shut, open ] }',
      `say: { play: shut, set: { name: "\${ vars.name }" }, next: end }`,
      'collect: { prompt: [ ask, shut ], digits: { length: 4 } }',
      'set: { name: "shut" }',
      `say: { play: "\${ vars.order.late ? 'shut' : 'open' }", next: name }`,
    ]);
  });
});

describe('a rename', () => {
  test.each([
    ['variable', 'name', 'order', 'There is a variable order already'],
    ['variable', 'name', 'a b', '"a b" is not a name for a variable'],
    ['input', 'nobody', 'other', 'There is no input nobody'],
    ['prompt', 'closed', 'ask', 'There is a prompt ask already'],
  ] as const)('refuses to call the %s %s %s', (kind, from, to, message) => {
    expect(renameName(FLOW, kind, { from, to }, LANGUAGE)).toMatchObject({ refused: message });
  });
});

describe('a test of the flow', () => {
  const TEST = `test: name and closed
flow: shop
input: { name: name }
callers: { second: { from: "+331", flow: shop, input: { name: x } } }
script:
  - hear: closed
  - hear: [ ask, closed ]
  - say: closed
expect:
  heard: [ ask, closed ]
  vars: { name: closed }
`;

  test.each([
    ['input', 'name', ['input: { new: name }', 'callers: { second: { from: "+331", flow: shop, input: { new: x } } }']],
    ['variable', 'name', ['vars: { new: closed }']],
    ['prompt', 'closed', ['- hear: new', '- hear: [ ask, new ]', 'heard: [ ask, new ]']],
  ] as const)('is renamed with the %s %s', (kind, from, lines) => {
    expect(changed(TEST, renameNameInTest(TEST, kind, 'shop', { from, to: 'new' }))).toEqual(lines);
  });

  test('stays as it is if it tests another flow', () => {
    expect(changed(TEST, renameNameInTest(TEST, 'prompt', 'other', { from: 'closed', to: 'new' }))).toEqual([]);
  });
});
