/** Notes of steps: the comments above their names. */
import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type FlowSource, openText } from '../../../src/language/flow/text/flow-source.ts';
import { noteOf, notesOf } from '../../../src/language/flow/text/notes.ts';
import { followNotes } from '../../../src/pages/studio/web/flows/follow-notes.ts';
import { graphIn, language, shippedFiles, textOf } from '../graph/flows.ts';

const NOTED =
  'flow: t\nsteps:\n  # First line.\n  #\n  # Third line.\n  a: { play: Hi., next: b }\n  b: { hangup: normal }\n';

function sourceOf(text: string): FlowSource {
  const source = openText(text);
  if (isRefusal(source)) throw new Error(source.refused);
  return source;
}

describe('notesOf', () => {
  it.each(shippedFiles)('reads the note of each step: %s', (file) => {
    const text = textOf(file);
    const noted = graphIn(text).steps.reduce(
      (made, { name }) => made.replace(`\n  ${name}:`, `\n  # Of ${name}.$&`),
      text,
    );
    for (const each of [text, noted]) {
      const source = sourceOf(each);
      const single = graphIn(each).steps.flatMap(({ name }) => {
        const note = noteOf(source, name) ?? '';
        return note.trim() === '' ? [] : [[name, note] as const];
      });
      expect([...notesOf(source)]).toEqual(single);
    }
  });

  it.each([
    ['the syntax of JSON', '{ "flow": "t", "steps": {\n"a": { "hangup": "#1" } } }'],
    ['all steps in one line', 'flow: t # no\n# no\nsteps: { a: { hangup: normal } }\n'],
    ['an empty comment', 'flow: t\nsteps:\n  #\n  a: { hangup: normal }\n'],
  ])('finds no notes in a text with %s', (_, text) => expect([...notesOf(sourceOf(text))]).toEqual([]));
});

it('keeps the notes while the text has an error, and their map while they are the same', () => {
  const text = signal(NOTED);
  const notes = followNotes({ text }, language);
  const first = notes.value;
  expect([...first]).toEqual([['a', 'First line.\n\nThird line.']]);
  text.value = NOTED.replace('Hi.', '"Hi.');
  expect(notes.value).toBe(first);
  text.value = NOTED.replace('Hi.', 'Hello.');
  expect(notes.value).toBe(first);
  text.value = NOTED.replace('Third', 'Last');
  expect([...notes.value]).toEqual([['a', 'First line.\n\nLast line.']]);
});

it('has the notes of the flow and of routes beside those of steps', () => {
  const noted = NOTED.replace('flow: t', '# Of the flow.\nflow: t').replace(
    'a: { play: Hi., next: b }',
    'a:\n    play: "Press # now" # not of a route\n    next: b # straight on',
  );
  expect([...followNotes({ text: signal(noted) }, language).value]).toEqual([
    ['a', 'First line.\n\nThird line.'],
    ['', 'Of the flow.'],
    ['a done', 'straight on'],
  ]);
});
