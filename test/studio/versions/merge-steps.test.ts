import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { openText } from '../../../src/language/flow/text/flow-source.ts';
import { renameStep } from '../../../src/language/flow/text/rename.ts';
import { retarget } from '../../../src/pages/studio/web/text/edit.ts';
import { cutFlow } from '../../../src/pages/studio/web/versions/cut-flow.ts';
import { mergeBySteps } from '../../../src/pages/studio/web/versions/merge-steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, language, shippedFiles, textOf } from '../graph/flows.ts';
import { manners } from '../text/manners.ts';
import { removeStep, setArgument } from '../text/plain-edits.ts';

const base = `# Head.
flow: t
prompts:
  hello: Hello.
start: a
steps:
  # One.
  a: { play: hello, next: b }

  # Middle.
  b:
    play: Two. # says
    next: c
  c: { hangup: normal }
# End.
`;
const merge = (mine: string, theirs: string) => mergeBySteps({ base, mine, theirs });
const changed = (from: string, to: string): string => {
  expect(base).toContain(from);
  return base.replace(from, to);
};

describe('flows under `flows`', () => {
  const flows = `flows:
  one:
    start: a
    steps: { a: { log: one, next: $end } }
  two: { start: a, steps: { a: { log: two, next: $end } } }
`;
  it('are merged one by one, with the steps of the file, without loss', () => {
    const merged = mergeBySteps({
      base: base + flows,
      mine: (base + flows).replace('log: one', 'log: first').replace('Two.', 'Second.'),
      theirs: `${base + flows}  three: { start: a, steps: { a: { log: three, next: $end } } }\n`.replace(
        'log: two',
        'log: other',
      ),
    });
    expect(merged.conflicts).toEqual([]);
    for (const words of ['log: first', 'log: other', 'log: three', 'Second.']) expect(merged.text).toContain(words);
  });

  it('keeps them when steps of the file are changed, and does not draw them', () => {
    const text = base + flows;
    const edits = renameStep(text, { from: 'a', to: 'first' }, language);
    const made = isRefusal(edits) ? '' : applyEdits(text, edits);
    expect(made).toBe(text.replace('start: a\n', 'start: first\n').replace('  a: {', '  first: {'));
    expect(graphIn(made).steps.map(({ name }) => name)).toEqual(['first', 'b', 'c']);
  });
});

describe('two texts of one flow', () => {
  it.each<[string, string, string, string]>([
    ['changes of two steps', changed('next: b', 'next: c'), changed('Two.', 'Second.'), 'next: c|Second.'],
    ['a step of mine and a prompt of theirs', changed('normal', 'busy'), changed('Hello.', 'Hi.'), 'busy|Hi.'],
    [
      'a step added by each',
      changed('  c:', '  x: { hangup: busy }\n  c:'),
      changed('# End.', '  y: { hangup: busy }\n# End.'),
      'x: {|y: {',
    ],
    [
      'a prompt added by each',
      changed('Hello.', 'Hello.\n  mine: Mine.'),
      changed('Hello.', 'Hello.\n  theirs: Theirs.'),
      'mine: M|theirs: T',
    ],
    [
      'a remark of theirs',
      changed('normal', 'busy'),
      changed('# Middle.', '# The middle one.'),
      'busy|# The middle one.',
    ],
    [
      'what is new at the top',
      changed('start: a', 'doc: Mine.\nstart: a'),
      changed('start: a', 'start: b'),
      'doc: Mine.|start: b',
    ],
    ['empty lines of theirs', changed('normal', 'busy'), changed('  c:', '\n\n  c:'), 'busy'],
  ])('are merged with %s', (_, mine, theirs, words) => {
    const merged = merge(mine, theirs);
    expect(merged.conflicts).toEqual([]);
    for (const word of words.split('|')) expect(merged.text).toContain(word);
  });

  it('keeps every other character', () => {
    const merged = merge(changed('next: b', 'next: c'), changed('Two.', 'Second.'));
    expect(merged).toEqual({
      text: base.replace('next: b', 'next: c').replace('Two. #', 'Second. #'),
      conflicts: [],
      taken: ['steps.b'],
    });
  });

  it('inserts a step after its predecessor in the other text', () => {
    const theirs = changed('  # Middle.', '  y: { hangup: busy }\n\n  # Middle.');
    expect(merge(changed('normal', 'busy'), theirs).text).toBe(theirs.replace('normal', 'busy'));
  });

  it('removes the steps that the other text removed', () => {
    const theirs = changed('  c: { hangup: normal }\n', '');
    expect(merge(changed('Hello.', 'Hi.'), theirs).text).toBe(theirs.replace('Hello.', 'Hi.'));
  });

  it('conflicts in a step that both changed, and in no other', () => {
    const mine = changed('Two.', 'Mine.').replace('normal', 'busy');
    const theirs = changed('Two.', 'Theirs.').replace('Hello.', 'Hi.');
    const merged = merge(mine, theirs);
    expect(merged.conflicts.map(({ key }) => key)).toEqual(['steps.b']);
    expect(merged.conflicts[0]!.theirs).toContain('Theirs.');
    expect(merged.text).toBe(mine.replace('Hello.', 'Hi.'));
    const chosen = mergeBySteps({ base, mine, theirs, choices: new Map([['steps.b', 'theirs']]) });
    expect(chosen.text).toBe(theirs.replace('normal', 'busy'));
  });

  it('conflicts if one changed a step that the other removed', () => {
    const gone = changed('  c: { hangup: normal }\n', '');
    const other = changed('normal', 'busy');
    expect(merge(gone, other).conflicts).toEqual([
      { key: 'steps.c', base: '  c: { hangup: normal }\n', theirs: '  c: { hangup: busy }\n' },
    ]);
    expect(merge(gone, other).text).toBe(gone);
    expect(merge(other, gone).text).toBe(other);
    expect(mergeBySteps({ base, mine: gone, theirs: other, choices: new Map([['steps.c', 'theirs']]) }).text).toBe(
      other,
    );
  });

  it('has no conflict if both made the same change', () => {
    const both = changed('Two.', 'Second.');
    expect(merge(both.replace('normal', 'busy'), both)).toMatchObject({
      conflicts: [],
      text: both.replace('normal', 'busy'),
    });
  });

  it('are one conflict if they cannot be split: JSON, errors, anchors over steps', () => {
    const json = '{ "flow": "t", "steps": { "a": { "hangup": "normal" } } }';
    const merged = mergeBySteps({ base: json, mine: json.replace('normal', 'busy'), theirs: json.replace('t', 'u') });
    expect(merged.conflicts.map(({ key }) => key)).toEqual(['']);
    expect(merge(changed('flow: t', 'flow: [ t'), changed('Two.', 'Second.')).conflicts.map(({ key }) => key)).toEqual([
      '',
    ]);
    const shared = base.replace('next: b', 'next: &n b').replace('next: c', 'next: *n');
    const moved = mergeBySteps({
      base: shared,
      mine: shared.replace('&n b', 'b').replace('*n', 'c'),
      theirs: `${shared.replace('# End.', '  d: { play: x, next: *n }\n# End.')}`,
    });
    expect(moved.conflicts.map(({ key }) => key)).toEqual(['']);
  });

  it('keeps the local line ends and the local end of the text', () => {
    const mine = changed('normal', 'busy').trimEnd().replaceAll('\n', '\r\n');
    const merged = merge(mine, changed('Two.', 'Second.'));
    expect(merged.text).toBe(mine.replace('Two. #', 'Second. #'));
  });
});

it.each([
  ...manners.map(({ name, text }) => ({ name, text })),
  ...shippedFiles.map((name) => ({ name, text: textOf(name) })),
])('divides the whole text into parts: $name', ({ text }) => {
  const source = openText(text);
  if (isRefusal(source)) throw new Error(source.refused);
  const parts = cutFlow(source);
  if (parts !== undefined) expect(parts.map((part) => part.text).join('')).toBe(text);
  else expect(text).toMatch(/^\{|steps: \{/m);
});

it('merges edits of two people in different steps, in either order', () => {
  const acts = shippedFiles.map((file) => ({
    text: textOf(file),
    steps: graphIn(textOf(file)).steps.map(({ name }) => name),
  }));
  const act = (text: string, step: string, kind: number): Edits => {
    if (kind === 0) return setArgument(text, { step, path: ['label'], value: 'a label' });
    if (kind === 1) return retarget(text, { step, outcome: 'hangup', target: step, language });
    return setArgument(text, { step, path: ['doc'], value: 'What it is for: this, and that.' });
  };
  const made = (text: string, edits: Edits): string => (isRefusal(edits) ? text : applyEdits(text, edits));
  fc.assert(
    fc.property(
      fc.constantFrom(...acts.filter(({ steps }) => steps.length > 1)),
      fc.nat(),
      fc.nat(),
      fc.nat(2),
      fc.nat(2),
      ({ text, steps }, one, two, kind, other) => {
        const first = steps[one % steps.length]!;
        const second = steps[(one + 1 + (two % (steps.length - 1))) % steps.length]!;
        const mine = made(text, act(text, first, kind));
        const theirs = made(text, act(text, second, other));
        const merged = mergeBySteps({ base: text, mine, theirs });
        expect(merged.conflicts).toEqual([]);
        expect(merged.text).toBe(made(mine, act(mine, second, other)));
        expect(mergeBySteps({ base: text, mine: theirs, theirs: mine }).text).toBe(merged.text);
      },
    ),
    { numRuns: rounds(60) },
  );
});

it('reports a conflict in a step that one renames and the other changes', () => {
  const text = textOf('flows/welcome-menu.flow.yaml');
  const mine = applyEdits(text, renameStep(text, { from: 'hours', to: 'opening' }, language) as never);
  const theirs = applyEdits(text, setArgument(text, { step: 'hours', path: ['play'], value: 'Closed.' }) as never);
  expect(mergeBySteps({ base: text, mine, theirs }).conflicts.map(({ key }) => key)).toEqual(['steps.hours']);
  const gone = applyEdits(text, removeStep(text, 'how') as never);
  expect(mergeBySteps({ base: text, mine, theirs: gone }).conflicts).toEqual([]);
});
