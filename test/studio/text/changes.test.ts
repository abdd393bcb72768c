/** Changes of short forms and of lists, to the byte, with the comments that travel. */
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/language/flow/text/change.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';

const around = (step: string): string => `flow: t\nsteps:\n  a:\n${step}    next: b\n`;

function changed(text: string, change: Change): string {
  const edits = rewrite(text, [change]);
  if (isRefusal(edits)) return `refused: ${edits.refused}`;
  const made = applyEdits(text, edits);
  expect(applyEdits(made, inverseOf(text, edits))).toBe(text);
  return made;
}

const lift: Change = { do: 'lift', path: ['steps', 'a', 'play'], key: 'prompt', pairs: { barge_in: true, repeat: 2 } };
const LONG = 'Good morning and welcome to the bakery at the corner of the market place where bread is baked every day';

const LIFTED: readonly [name: string, before: string, after: string][] = [
  ['a word', '    play: welcome\n', '    play: { prompt: welcome, barge_in: true, repeat: 2 }\n'],
  ['double quotes', '    play: "Hi, you"\n', '    play: { prompt: "Hi, you", barge_in: true, repeat: 2 }\n'],
  ['single quotes', "    play: 'it''s'\n", "    play: { prompt: 'it''s', barge_in: true, repeat: 2 }\n"],
  [
    'a comment behind',
    '    play: welcome # says\n',
    '    play: { prompt: welcome, barge_in: true, repeat: 2 } # says\n',
  ],
  [
    'a comma in plain text',
    '    play: Hello, you # says\n    # on\n',
    '    play:\n      prompt: Hello, you # says\n      barge_in: true\n      repeat: 2\n    # on\n',
  ],
  ['a long text', `    play: ${LONG}\n`, `    play:\n      prompt: ${LONG}\n      barge_in: true\n      repeat: 2\n`],
  [
    'a folded text',
    '    play: >-\n      Hello\n\n      you\n\n',
    '    play:\n      prompt: >-\n        Hello\n\n        you\n      barge_in: true\n      repeat: 2\n\n',
  ],
  ['a list in brackets', '    play: [a, b]\n', '    play: { prompt: [a, b], barge_in: true, repeat: 2 }\n'],
  [
    'a list with dashes',
    '    play: # both\n      - a # one\n      # two\n      - b\n',
    '    play:\n      prompt: # both\n        - a # one\n        # two\n        - b\n      barge_in: true\n      repeat: 2\n',
  ],
  ['an anchor', '    play: &w welcome\n', '    play: { prompt: &w welcome, barge_in: true, repeat: 2 }\n'],
];

describe('a short form that becomes a map', () => {
  it.each(LIFTED)('keeps the characters of the value: %s', (_, before, after) => {
    expect(changed(around(before), lift)).toBe(around(after));
    const windows = (text: string): string => text.replaceAll('\n', '\r\n');
    expect(changed(windows(around(before)), lift)).toBe(windows(around(after)));
  });

  it('lifts the value of a step in braces, in JSON, and of an alias', () => {
    const braces = 'flow: t\nsteps:\n  a: { play: welcome, next: b } # x\n';
    expect(changed(braces, lift)).toBe(
      'flow: t\nsteps:\n  a: { play: { prompt: welcome, barge_in: true, repeat: 2 }, next: b } # x\n',
    );
    expect(changed('{"flow":"t","steps":{"a":{"play":"welcome"}}}', lift)).toBe(
      '{"flow":"t","steps":{"a":{"play":{"prompt":"welcome","barge_in":true,"repeat":2}}}}',
    );
    const alias = 'flow: t\nsteps:\n  b: { play: &w welcome }\n  a:\n    play: *w\n';
    expect(changed(alias, lift)).toBe(
      'flow: t\nsteps:\n  b: { play: &w welcome }\n  a:\n    play: { prompt: *w, barge_in: true, repeat: 2 }\n',
    );
  });
});

const DASHES = `    list:
      # one
      - when: x # 1
        next: b
      - { when: y } # 2
      # three
      - else: d
`;
const BRACKETS = '    list: [1, 2, 3] # all\n';
const LINES = `    list: [
      a, # A
      # above b
      b, # B
      c # C
    ]
`;
const path = ['steps', 'a', 'list'];
const insert = (index: number): Change => ({ do: 'insert', path, index, value: 'new' });
const remove = (index: number): Change => ({ do: 'removeItem', path: [...path, index] });
const move = (index: number, to: number): Change => ({ do: 'moveItem', path: [...path, index], to });

const LISTS: readonly [name: string, before: string, change: Change, after: string][] = [
  ['the first in dashes', DASHES, insert(0), DASHES.replace('      # one', '      - new\n      # one')],
  ['between dashes', DASHES, insert(1), DASHES.replace('      - { when: y', '      - new\n      - { when: y')],
  ['the last in dashes', DASHES, insert(3), `${DASHES}      - new\n`],
  ['the first in brackets', BRACKETS, insert(0), BRACKETS.replace('[1', '[new, 1')],
  ['the last in brackets', BRACKETS, insert(3), BRACKETS.replace('3]', '3, new]')],
  ['the last over lines', LINES, insert(3), LINES.replace('c # C\n', 'c, # C\n      new\n')],
  ['into an empty list', '    list: []\n', insert(0), '    list: [new]\n'],
  ['not the first in dashes', DASHES, remove(0), DASHES.replace(/ +# one\n.*\n.*\n/, '')],
  ['not the second in dashes', DASHES, remove(1), DASHES.replace(/.*# 2\n/, '')],
  ['not the last in dashes', DASHES, remove(2), DASHES.replace(/ +# three\n.*\n/, '')],
  ['not the first in brackets', BRACKETS, remove(0), BRACKETS.replace('1, ', '')],
  ['not the last in brackets', BRACKETS, remove(2), BRACKETS.replace(', 3', '')],
  ['not the first over lines', LINES, remove(0), LINES.replace(/.*# A\n/, '')],
  ['not the last over lines', LINES, remove(2), LINES.replace(/.*# C\n/, '').replace('b, # B', 'b # B')],
  [
    'the first dash to the end',
    DASHES,
    move(0, 2),
    '    list:\n      - { when: y } # 2\n      # three\n      - else: d\n      # one\n      - when: x # 1\n        next: b\n',
  ],
  [
    'the last dash to the start',
    DASHES,
    move(2, 0),
    '    list:\n      # three\n      - else: d\n      # one\n      - when: x # 1\n        next: b\n      - { when: y } # 2\n',
  ],
  ['in brackets', BRACKETS, move(0, 2), BRACKETS.replace('1, 2, 3', '2, 3, 1')],
  ['over lines', LINES, move(0, 2), '    list: [\n      # above b\n      b, # B\n      c, # C\n      a # A\n    ]\n'],
];

describe('a list', () => {
  it.each(LISTS)('has the item where it belongs: %s', (_, before, change, after) => {
    expect(changed(around(before), change)).toBe(around(after));
    const windows = (text: string): string => text.replaceAll('\n', '\r\n');
    expect(changed(windows(around(before)), change)).toBe(windows(around(after)));
  });

  it('is not left empty by the removal of its only item', () => {
    expect(changed(around('    list:\n      - a\n'), remove(0))).toMatch(/^refused: /);
  });
});

describe('a map', () => {
  const choices = `    menu:
      choices:
        # hours
        one: { dtmf: "1" } # 1
        two: { dtmf: "2" }
`;
  it('has its pairs in another order, with their comments', () => {
    const change: Change = { do: 'moveItem', path: ['steps', 'a', 'menu', 'choices', 'two'], to: 0 };
    expect(changed(around(choices), change)).toBe(
      around(`    menu:
      choices:
        two: { dtmf: "2" }
        # hours
        one: { dtmf: "1" } # 1
`),
    );
  });

  it('loses the first pair of an item, whose dash the next one takes', () => {
    expect(changed(around(DASHES), { do: 'remove', path: [...path, 0, 'when'] })).toBe(
      around(DASHES.replace('when: x # 1\n        next', 'next')),
    );
  });
});

describe('a value of another kind', () => {
  const set = (before: string, value: Change & { do: 'set' }): string => changed(around(before), value);
  const at = ['steps', 'a', 'play'];

  it('replaces the value and keeps the comment behind it', () => {
    expect(set('    play: welcome # says\n', { do: 'set', path: at, value: ['a', 'b'] })).toBe(
      around('    play: [a, b] # says\n'),
    );
    expect(set('    play: [a, b] # says\n', { do: 'set', path: at, value: 'a' })).toBe(around('    play: a # says\n'));
    expect(set('    play: # says\n      - a\n      - b\n', { do: 'set', path: at, value: 'a' })).toBe(
      around('    play: a # says\n'),
    );
    expect(set('    play: |\n      a\n      b\n', { do: 'set', path: at, value: { text: 'a' } })).toBe(
      around('    play: { text: a }\n'),
    );
  });

  it('is written as the author wrote it', () => {
    const written = 'text: a # one\nvoice: male';
    expect(set('    play: welcome\n', { do: 'set', path: at, value: { text: 'a', voice: 'male' }, written })).toBe(
      around('    play:\n      text: a # one\n      voice: male\n'),
    );
    expect(set('    play: [a]\n', { do: 'set', path: [...at, 0], value: ['b'], written: '[ b ]' })).toBe(
      around('    play: [[ b ]]\n'),
    );
  });
});
