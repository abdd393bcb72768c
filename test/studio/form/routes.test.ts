/** Where the outcomes of a step lead, in plain words, and the comment above a step. */
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { openText } from '../../../src/language/flow/text/flow-source.ts';
import { noteOf, setNote } from '../../../src/language/flow/text/notes.ts';
import { routesOf } from '../../../src/pages/studio/web/form/routes.ts';
import { graphIn } from '../graph/flows.ts';
import { language } from './samples.ts';

const text = `flow: a
defaults: { exits: { error: bye } }
start: menu
steps:
  # The first question.
  # It has two lines.
  menu:
    menu:
      prompt: Press one or two.
      choices:
        one: { dtmf: "1" }
        two: { dtmf: "2" }
    exits: { one: call, two: bye, exhausted: bye }
  call:
    bridge: sip:ann@example.com
    exits: { completed: bye, failed: bye }
  bye: { hangup: normal }
`;
const graph = graphIn(text);
const rows = (name: string, without: readonly string[] = []) => {
  const step = graph.steps.find((each) => each.name === name)!;
  return routesOf(step, graph, language.verbs[step.verb], without);
};

describe('the routes of a step', () => {
  it('has a line for each outcome of a small family', () => {
    expect(rows('menu', ['one', 'two']).map(({ label, target, isOwn }) => [label, target, isOwn])).toEqual([
      ['No answer after the last try', 'bye', false],
      ['Wrong answers only', 'bye', false],
      ['Something breaks', 'bye', false],
    ]);
  });

  it('has one line for a large family, with the kinds inside', () => {
    const failed = rows('call').find(({ outcome }) => outcome === 'failed')!;
    expect(failed).toMatchObject({ label: 'It does not work', target: 'bye', isOwn: true });
    expect(failed.kinds.map(({ label }) => label)).toContain('Nobody answers');
  });

  it('names the default, and choices by their names', () => {
    expect(rows('menu').find(({ outcome }) => outcome === 'error')!.usual).toBe('bye');
    expect(rows('menu')[0]!.label).toBe('one');
  });

  it('has words for every outcome of every verb', () => {
    for (const [verb, { outcomes }] of Object.entries(language.verbs)) {
      for (const outcome of outcomes) expect(outcome, verb).toMatch(/^<|^[a-z0-9_.]+$/);
    }
  });
});

describe('the note of a step', () => {
  const changed = (note: string, of = text): string => {
    const source = openText(of);
    if (isRefusal(source)) throw new Error(source.refused);
    const edits = setNote(source, 'menu', note);
    if (isRefusal(edits)) throw new Error(edits.refused);
    return applyEdits(of, edits);
  };
  const noted = (of: string): string | undefined => {
    const source = openText(of);
    return isRefusal(source) ? undefined : noteOf(source, 'menu');
  };

  it('is the comment right above its name', () => {
    expect(noted(text)).toBe('The first question.\nIt has two lines.');
    expect(changed('The first question.\nIt has two lines.')).toBe(text);
    expect(changed('Other words.')).toBe(text.replace(/ {2}# The.*\n.*\n/, '  # Other words.\n'));
    expect(changed('')).toBe(text.replace(/ {2}# The.*\n.*\n/, ''));
    expect(changed('The first question.\nIt has two lines.', changed(''))).toBe(text);
  });

  it('has the line ends of the file', () => {
    const windows = text.replaceAll('\n', '\r\n');
    expect(changed('One.\nTwo.', windows)).toContain('\r\n  # One.\r\n  # Two.\r\n  menu:');
  });
});
