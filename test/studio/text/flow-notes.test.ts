/** Comment at the head of a flow, and comments at the line ends of its routes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type FlowSource, openText } from '../../../src/language/flow/text/flow-source.ts';
import { headNoteOf, setHeadNote } from '../../../src/language/flow/text/head-note.ts';
import { lineNoteOf, setLineNote } from '../../../src/language/flow/text/line-notes.ts';

const DIRECTIVE = '# yaml-language-server: $schema=../flow.schema.json\n';
const FLOW = 'flow: menu\nsteps:\n  greet:\n    play: Hello\n    next: bye\n';

function opened(text: string): FlowSource {
  const source = openText(text);
  if (isRefusal(source)) throw new Error(source.refused);
  return source;
}

function written(text: string, editsOf: (source: FlowSource) => Edits): string {
  const edits = editsOf(opened(text));
  if (isRefusal(edits)) throw new Error(edits.refused);
  const made = applyEdits(text, edits);
  expect(applyEdits(made, inverseOf(text, edits))).toBe(text);
  return made;
}

const noted = (text: string, note: string): string => written(text, (source) => setHeadNote(source, note));

describe('note of a flow', () => {
  it.each([
    ['', undefined],
    [DIRECTIVE, undefined],
    ['# Welcomes callers.\n', 'Welcomes callers.'],
    [`${DIRECTIVE}# Welcomes callers.\n#\n#  - by day\n`, 'Welcomes callers.\n\n - by day'],
    [`${DIRECTIVE}\n# One.\n\n# Two.\n\n`, 'One.\n\nTwo.'],
    [`%YAML 1.2\n---\n# One.\n`, 'One.'],
    [`# One.\n${DIRECTIVE}# Two.\n`, 'One.\nTwo.'],
    ['\ufeff# One.\n', 'One.'],
    ['# One.\r\n# Two.\r\n', 'One.\nTwo.'],
  ])('is read from the head %j', (head, note) => {
    expect(headNoteOf(opened(head + FLOW))).toBe(note);
  });

  it.each([
    ['', 'One.', '# One.\n'],
    [DIRECTIVE, 'One.\n\nTwo.\n', `${DIRECTIVE}# One.\n#\n# Two.\n`],
    ['# One.\n\n#Two.\n# Three.\n', 'One.\n\nTwo.\nThird.', '# One.\n\n#Two.\n# Third.\n'],
    ['# One.\n# Two.\n', 'One.\nAnd a half.\nTwo.', '# One.\n# And a half.\n# Two.\n'],
    [`# One.\n${DIRECTIVE}# Two.\n`, '', DIRECTIVE],
    [`# One.\n${DIRECTIVE}# Two.\n`, 'Else.', `# Else.\n${DIRECTIVE}`],
    ['%YAML 1.2\n---\n', 'One.', '%YAML 1.2\n---\n# One.\n'],
    ['# One.\r\n', 'One.\nTwo.', '# One.\r\n# Two.\r\n'],
    ['\ufeff', 'One.', '\ufeff# One.\n'],
  ])('changes the head %j for the note %j in exact bytes', (head, note, wanted) => {
    expect(noted(head + FLOW, note)).toBe(wanted + FLOW);
  });

  it('is refused in JSON, which has no comments', () => {
    const json = '{ "flow": "menu", "steps": {} }';
    expect(headNoteOf(opened(json))).toBeUndefined();
    expect(setHeadNote(opened(json), 'One.')).toMatchObject({ refused: 'JSON has no comments' });
  });

  it('leaves the text as it was if it is written and removed, and reads what was written', () => {
    const line = fc.stringMatching(/^[A-Za-z][a-z .-]{0,12}[a-z]$/);
    fc.assert(
      fc.property(fc.constantFrom('', DIRECTIVE), fc.array(line, { minLength: 1 }), (head, lines) => {
        const note = lines.join('\n');
        const made = noted(head + FLOW, note);
        expect(headNoteOf(opened(made))).toBe(note);
        expect(noted(made, '')).toBe(head + FLOW);
      }),
      { numRuns: 50 },
    );
  });
});

const WAYS = `flow: menu
steps:
  ask:
    menu:
      prompt: Press 1 # not of a way
      choices:
        1: hours # most callers
        2: { next: bye } #rare
    exits:
      exhausted: bye
      error: { to: bye, code: 4 } # both
  hours: { play: Open, next: bye } # of the step
  bye: { hangup: }
`;

describe('note of a route', () => {
  const choice = ['steps', 'ask', 'menu', 'choices'];
  const exits = ['steps', 'ask', 'exits'];
  it.each([
    [[...choice, '1'], 'most callers'],
    [[...choice, '2', 'next'], 'rare'],
    [[...exits, 'exhausted'], undefined],
    [[...exits, 'error', 'to'], undefined],
    [['steps', 'hours', 'next'], undefined],
  ])('is read at %j as %j', (path, note) => {
    expect(lineNoteOf(opened(WAYS), path)).toBe(note);
  });

  it.each([
    [[...choice, '1'], 'all', '1: hours # all\n', '1: hours # most callers\n'],
    [[...choice, '1'], '', '1: hours\n', '1: hours # most callers\n'],
    [[...choice, '2', 'next'], 'at\nnight', '2: { next: bye } # at night\n', '2: { next: bye } #rare\n'],
    [[...exits, 'exhausted'], 'tired', 'exhausted: bye # tired\n', 'exhausted: bye\n'],
    [[...choice, '1'], 'most callers', '1: hours # most callers\n', '1: hours # most callers\n'],
  ])('changes the line of %j for the note %j in exact bytes', (path, note, line, before) => {
    expect(written(WAYS, (source) => setLineNote(source, path, note))).toBe(WAYS.replace(before, line));
  });

  it('keeps the line ends of the file', () => {
    const text = WAYS.replaceAll('\n', '\r\n');
    const made = written(text, (source) => setLineNote(source, [...exits, 'exhausted'], 'tired'));
    expect(made).toBe(text.replace('exhausted: bye', 'exhausted: bye # tired'));
  });

  it('is refused where the line holds other entries', () => {
    expect(setLineNote(opened(WAYS), ['steps', 'hours', 'next'], 'one')).toMatchObject({
      refused: 'next is in the line of something else',
    });
  });
});
