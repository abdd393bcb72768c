/** Names in expressions, in tests of flows, in callers of flows; the clipboard; and refused edits. */
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { nameKindAt } from '../../../src/language/flow/text/names.ts';
import { freshName } from '../../../src/language/flow/text/new-names.ts';
import {
  renameOutcome,
  renameOutcomeInTest,
  renameReturn,
  renameReturnInCaller,
  renameStep,
  renameStepInTest,
} from '../../../src/language/flow/text/rename.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import { addPrompt, removeExit, retarget } from '../../../src/pages/studio/web/text/edit.ts';
import { pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { language } from '../graph/flows.ts';
import { joinStep, removeStep, setArgument, setEvent } from './plain-edits.ts';

const made = (text: string, edits: Edits): string => {
  if (isRefusal(edits)) throw new Error(`${edits.refused}: ${edits.hint}`);
  return applyEdits(text, edits);
};
const pasted = (text: string, clipboard: string, after?: string): string => {
  const result = pasteSteps(text, clipboard, language, after);
  if (isRefusal(result)) throw new Error(`${result.refused}: ${result.hint}`);
  return applyEdits(text, result.edits);
};

describe('a step renamed in expressions', () => {
  it.each([
    ['${ steps.ask.digits }', '${ steps.find.digits }'],
    ['${steps.ask}', '${steps.find}'],
    ['a ${ steps.ask.a & steps . ask.b } b', 'a ${ steps.find.a & steps . find.b } b'],
    ['${ steps.`ask`.x }', '${ steps.`find`.x }'],
    ['${ $.steps.ask.x + $$.steps.ask.y }', '${ $.steps.find.x + $$.steps.find.y }'],
    [
      '${ $exists(steps.ask) ? {"a": steps.ask} : steps.asked }',
      '${ $exists(steps.find) ? {"a": steps.find} : steps.asked }',
    ],
    ["${ steps.ask = 'steps.ask' }", "${ steps.find = 'steps.ask' }"],
    ['${ /* steps.ask */ steps.ask }', '${ /* steps.ask */ steps.find }'],
    ['${ $contains(steps.ask.x, /steps.ask/) }', '${ $contains(steps.find.x, /steps.ask/) }'],
    ['${ 4 / steps.ask.n / 2 }', '${ 4 / steps.find.n / 2 }'],
  ])('renames the step in %s', (before, after) => {
    const flow = (words: string) =>
      `flow: t\nstart: ask\nsteps:\n  ask: { hangup: normal }\n  b:\n    log: >-\n      ${words}\n    next: ask\n`;
    expect(made(flow(before), renameStep(flow(before), { from: 'ask', to: 'find' }, language))).toBe(
      flow(after).replaceAll(': ask', ': find').replace('  ask:', '  find:'),
    );
  });

  it.each([
    'steps.ask is words',
    '$${ steps.ask }',
    '${ vars.steps.ask }',
    '${ mysteps.ask + steps.asks }',
    "${ 'steps.ask' }",
  ])('is not renamed in: %s', (words) => {
    const text = `flow: t\nstart: a\nsteps:\n  ask: { hangup: normal }\n  a: { play: ${JSON.stringify(words)}, next: a }\n`;
    expect(made(text, renameStep(text, { from: 'ask', to: 'find' }, language))).toBe(text.replace('  ask:', '  find:'));
  });

  it('is renamed in conditions and in returned values, not in comments', () => {
    const text =
      'flow: t\ndoc: ${ steps.ask }\noutput: ${ steps.ask }\nstart: ask\nsteps:\n  ask: { branch: [{ when: steps.ask.n = 1, next: ask }, { else: ask }], when: $exists(steps.ask), doc: steps.ask }\n  b: { repeat: { do: ask, times: 2 }, exits: { limit: ask } }\n';
    expect(made(text, renameStep(text, { from: 'ask', to: 'q' }, language))).toBe(
      'flow: t\ndoc: ${ steps.ask }\noutput: ${ steps.q }\nstart: q\nsteps:\n  q: { branch: [{ when: steps.q.n = 1, next: q }, { else: q }], when: $exists(steps.q), doc: steps.ask }\n  b: { repeat: { do: q, times: 2 }, exits: { limit: q } }\n',
    );
  });

  it('keeps its name if the new one is taken or invalid', () => {
    const text = 'flow: t\nstart: a\nsteps:\n  a: { hangup: normal }\n  b: { hangup: normal }\n';
    expect(renameStep(text, { from: 'a', to: 'b' }, language)).toEqual({
      refused: 'There is a step b already',
      hint: 'take another name',
    });
    expect(renameStep(text, { from: 'a', to: 'b c' }, language)).toHaveProperty(
      'refused',
      '"b c" is not a name for a step',
    );
    expect(renameStep(text, { from: 'x', to: 'y' }, language)).toHaveProperty('refused', 'There is no step x');
  });
});

describe('names in tests of a flow', () => {
  const test = `test: it # remark
flow: t
mocks:
  ask: { status: 200 }
  bridge: { "1": {} }
script: [hear: ask]
expect:
  path: [ask, b, t/ask, other/ask]
  outcomes: { ask: [one, two], "t/ask": one }
  visits: { ask: 2 }
  never: { visited: ask }
  requests: [{ step: ask }]
  heard: [ask]
`;
  it('follows the renamed step', () => {
    expect(made(test, renameStepInTest(test, 't', { from: 'ask', to: 'find' }, language))).toBe(
      test
        .replace('  ask: {', '  find: {')
        .replace('[ask, b, t/ask, other/ask]', '[find, b, t/find, other/ask]')
        .replace('{ ask: [one, two], "t/ask"', '{ find: [one, two], "t/find"')
        .replace('{ ask: 2 }', '{ find: 2 }')
        .replace('visited: ask', 'visited: find')
        .replace('step: ask', 'step: find'),
    );
  });

  it('follows the renamed step where another flow runs it', () => {
    expect(made(test, renameStepInTest(test, 'other', { from: 'ask', to: 'find' }, language))).toBe(
      test.replace('other/ask', 'other/find'),
    );
  });

  it('follows the renamed outcome', () => {
    expect(made(test, renameOutcomeInTest(test, 't', 'ask', { from: 'one', to: 'uno' }))).toBe(
      test.replaceAll('one', 'uno'),
    );
  });

  it('leaves mocks of parties unchanged', () => {
    const edits = renameStepInTest(test, 't', { from: 'bridge', to: 'connect' }, language);
    expect(edits).toEqual([]);
  });
});

describe('renamed outcomes of a step', () => {
  it.each([
    [
      'split: { arms: { old: 1, new: 2 } }, exits: { old: a, new: a }',
      'old',
      'split: { arms: { was: 1, new: 2 } }, exits: { was: a, new: a }',
    ],
    [
      'branch: [{ when: "true", name: old, next: a }, { else: a }]',
      'old',
      'branch: [{ when: "true", name: was, next: a }, { else: a }]',
    ],
    [
      'branch: [{ when: "true", next: a }, { else: a }]',
      'case.1',
      'branch: [{ when: "true", next: a, name: was }, { else: a }]',
    ],
    [
      'webhook: { url: u, outcomes: [x, old] }, exits: { old: a }',
      'old',
      'webhook: { url: u, outcomes: [x, was] }, exits: { was: a }',
    ],
  ])('are changed in %s', (before, from, after) => {
    const text = `flow: t\nstart: a\nsteps:\n  a: { ${before} }\n`;
    expect(made(text, renameOutcome(text, 'a', { from, to: 'was' }, language))).toBe(text.replace(before, after));
  });

  it('are refused if the verb defines them', () => {
    const text = 'flow: t\nstart: a\nsteps:\n  a: { play: hi, exits: { done: a } }\n';
    expect(renameOutcome(text, 'a', { from: 'done', to: 'was' }, language)).toHaveProperty(
      'refused',
      'a does not declare done',
    );
    expect(renameOutcome(text, 'a', { from: 'done', to: 'error' }, language)).toHaveProperty('refused');
  });

  it('are changed in callers if the flow returns them', () => {
    const flow =
      'flow: t\nstart: a\nsteps:\n  a: { return: known }\n  b: { return: { outcome: known } }\n  known: { return: other }\n';
    expect(made(flow, renameReturn(flow, { from: 'known', to: 'found' }))).toBe(
      flow.replace('return: known', 'return: found').replace('outcome: known', 'outcome: found'),
    );
    const caller =
      'flow: c\nstart: a\nsteps:\n  a: { subflow: t, exits: { known: a } }\n  b: { subflow: { flow: t, outcomes: [known] }, exits: { known: a } }\n  d: { subflow: x, exits: { known: a } }\n';
    expect(
      made(caller, renameReturnInCaller(caller, 't', { from: 'known', to: 'found' }, language)).match(/known/g),
    ).toHaveLength(1);
  });
});

describe('clipboard with steps', () => {
  const flow =
    'flow: t\ndefaults: { exits: { error: bye } }\nstart: a\nsteps:\n  a: { play: hi, next: bye }\n  bye: { hangup: normal }\n';
  const steps = 'ask:\n  play: "Who?" # says\n  next: bye\nbye: { hangup: busy }\n';
  const both = `${flow.replace('  bye:', '  ask:\n    play: "Who?" # says\n    next: bye_2\n  bye_2: { hangup: busy }\n  bye:')}`;

  it.each([
    ['a map of steps', steps],
    ['a whole flow', `flow: other\nstart: ask\nprompts: { x: y }\nsteps:\n${steps.replaceAll(/^(?=.)/gm, '  ')}`],
    ['lines of Windows', steps.replaceAll('\n', '\r\n')],
    ['a quotation', steps.replaceAll(/^(?=.)/gm, '> ')],
    ['a quotation of a quotation', steps.replaceAll(/^(?=.)/gm, '> > ')],
    ['a fence', `Hello,\n\nthis: should do it:\n\`\`\`yaml\n${steps}\`\`\`\nBest\n`],
    ['words around it', `Hello Anna,\n\ntake this:\n\n${steps}\nBest regards\nBen`],
    ['hard spaces and indentation', steps.replaceAll(/^(?=.)/gm, '    ').replaceAll(' ', '\u00a0')],
    ['an empty line before', `\n\n${steps}\n\n`],
  ])('accepts steps from %s', (_, clipboard) => {
    expect(pasted(flow, clipboard, 'a')).toBe(both);
  });

  it('reports the names that it changed', () => {
    const result = pasteSteps(flow, steps, language);
    expect(isRefusal(result) ? result : [...result.names]).toEqual([
      ['ask', 'ask'],
      ['bye', 'bye_2'],
    ]);
  });

  it('accepts JSON, and pastes JSON into a flow of JSON', () => {
    const json =
      '{ "flow": "t", "defaults": { "exits": { "error": "a" } }, "steps": { "a": { "hangup": "normal" } } }\n';
    expect(pasted(json, '{ "a": { "play": "hi", "next": "a" } }')).toBe(
      '{ "flow": "t", "defaults": { "exits": { "error": "a" } }, "steps": { "a": { "hangup": "normal" }, "a_2": { "play": "hi", "next": "a_2" } } }\n',
    );
    expect(pasted(flow, '{ "x": { "play": "hi", "next": "bye" } }', 'bye')).toBe(
      `${flow}  x: { play: hi, next: bye }\n`,
    );
  });

  it('expands an anchor that is defined elsewhere', () => {
    const text = 'flow: t\nstart: a\nsteps:\n  a: &x { play: hi, next: &n b }\n  b: *x\n  c: { play: ho, next: *n }\n';
    expect(copySteps(text, ['c', 'b'], language)).toBe('b: { play: hi, next: b }\nc: { play: ho, next: b }\n');
  });

  it.each(['', 'Hello there.', 'a: b', '- a', 'x: { y', '"'.repeat(600_000)])(
    'refuses a text without steps (%#)',
    (clipboard) => {
      expect(pasteSteps(flow, clipboard, language)).toHaveProperty('refused');
    },
  );

  it('numbers names after an existing counter', () => {
    expect(freshName('menu', ['menu', 'menu_2'])).toBe('menu_3');
    expect(freshName('menu_2', ['menu_2'])).toBe('menu_3');
    expect(freshName('menu', [])).toBe('menu');
  });
});

describe('refusals with a reason', () => {
  const shared =
    'flow: t\nstart: a\nsteps:\n  a: { play: hi, exits: &x { done: b, error: b } }\n  b: { play: hi, exits: *x }\n  c: { hangup: normal }\n';
  it.each<[string, string, Edits]>([
    [
      'of an alias',
      'steps.b.exits.done is written by the alias *x',
      retarget(shared, { step: 'b', outcome: 'done', target: 'c', language }),
    ],
    [
      'of an anchor',
      'steps.a.exits.done is shared: *x',
      retarget(shared, { step: 'a', outcome: 'done', target: 'c', language }),
    ],
    [
      'of what cannot be added',
      'steps.b.exits is written by the alias *x',
      retarget(shared, { step: 'b', outcome: 'hangup', target: 'c', language }),
    ],
    ['of an anchor that is needed', 'This cannot be written', removeStep(shared, 'a')],
    ['of errors in the text', 'The text has an error in line 2', removeStep('flow: t\nsteps: { a: [ }\n', 'a')],
    ['of a text that is no flow', 'The text is not a map', removeStep('- a\n', 'a')],
    ['of the last step', 'A flow has at least one step', removeStep('flow: t\nsteps:\n  a: { hangup: normal }\n', 'a')],
    ['of a step without a successor', 'c has no single successor', joinStep(shared, { name: 'c', language })],
    [
      'of a step that ends',
      'The flow ends with c',
      retarget(shared, { step: 'c', outcome: 'done', target: 'a', language }),
    ],
    [
      'of a step that is not there',
      'There is no step x',
      retarget(shared, { step: 'x', outcome: 'done', target: 'a', language }),
    ],
    [
      'of a short form',
      'steps.a.play is written short',
      setArgument(shared, { step: 'a', path: ['play', 'prompt'], value: 'x' }),
    ],
    [
      'of prompts in files',
      'Prompts of this flow are files in ./p',
      addPrompt('flow: t\nprompts: ./p\nsteps: {}\n', 'x', 'y'),
    ],
    [
      'of an exit that it has not',
      'a has no exit hangup of its own',
      removeExit(shared, { step: 'a', outcome: 'hangup', language }),
    ],
  ])('refuses the edit %s', (_, reason, edits) => {
    expect(isRefusal(edits) ? edits.refused : edits).toContain(reason);
  });
});

describe('values of arguments', () => {
  const flow = (play: string) => `flow: t\nstart: a\nsteps:\n  a:\n    play: ${play}\n    next: a\n`;
  it.each([
    ['Hi.', 'Hello, you.', 'Hello, you.'],
    ['Hi.', 'yes', '"yes"'],
    ['Hi.', '12', '"12"'],
    ['Hi.', 'a: b # c', '"a: b # c"'],
    ['Hi.', '', '""'],
    ['Hi.', ' x ', '" x "'],
    ["'Hi.'", "It's", "'It''s'"],
    ["'Hi.'", 'a\nb', '"a\\nb"'],
    ['"Hi."', 'Zoë ☎', '"Zoë ☎"'],
    ['|\n      Hi.\n      You.', 'One.\nTwo.\n', '|\n      One.\n      Two.'],
    ['>-\n      Hi\n      you.', 'Words: one, # two', '>-\n      Words: one, # two'],
    ['>-\n      Hi\n      you.', 'One.\nTwo.', '|-\n      One.\n      Two.'],
    ['|\n      Hi.', ' a', '" a"'],
    ['!!str Hi.', 'Ho.', '!!str Ho.'],
    ['Hi. # says', 'Ho.', 'Ho. # says'],
  ])('turns %s into %j', (before, value, after) => {
    expect(made(flow(before), setArgument(flow(before), { step: 'a', path: ['play'], value }))).toBe(flow(after));
  });

  it('are also numbers and booleans', () => {
    const text = 'flow: t\nstart: a\nsteps:\n  a: { menu: { attempts: 3 }, max_visits: 2 }\n';
    const attempts = setArgument(text, { step: 'a', path: ['menu', 'attempts'], value: 4 });
    expect(made(text, attempts)).toBe(text.replace('3', '4'));
    const sensitive = setArgument(text, { step: 'a', path: ['sensitive'], value: true });
    expect(made(text, sensitive)).toBe(text.replace('2 }', '2, sensitive: true }'));
  });

  it('fills empty arguments with a value', () => {
    const text = 'flow: t\nevents:\nstart: a\nsteps:\n  a:\n    play: hi\n    next:\n    exits:\n';
    expect(made(text, setEvent(text, 'dtmf.0', 'a'))).toBe(text.replace('events:', 'events: { dtmf.0: a }'));
    const next = retarget(text, { step: 'a', outcome: 'done', target: 'a', language });
    expect(made(text, next)).toBe(text.replace('next:', 'next: a'));
    const exits = retarget(text, { step: 'a', outcome: 'error', target: 'a', language });
    expect(made(text, exits)).toBe(text.replace('exits:', 'exits: { error: a }'));
  });
});

it('names a prompt where a verb expects a prompt', () => {
  const places = verbs.flatMap(({ verb, prompts = [] }) =>
    prompts.map((pointer) => ['steps', 'a', verb, ...pointer.split('/').slice(1)].filter((key) => key !== '*')),
  );
  expect(places.filter((path) => nameKindAt(path, language) !== 'prompt').map((path) => path.join(' '))).toEqual([]);
});
