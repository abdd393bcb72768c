/** Completions and help at the cursor (`|`), and definitions and uses of names. */
import { describe, expect, test } from 'vitest';
import { languageOf } from '../../../src/language/flow/language.ts';
import { type CompletionContext, complete, helpAt, verbAt } from '../../../src/language/flow/text/completion.ts';
import { definitionOf, nameAt, namesIn, rangeOfStep, stepAt, usesOf } from '../../../src/language/flow/text/names.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { graphIn, textOf } from '../graph/flows.ts';

const language = languageOf(verbs);
const WELCOME = textOf('flows/welcome-menu.flow.yaml');

function contextOf(text: string): CompletionContext {
  const { defined, words } = namesIn(text, language.verbs);
  return { language, graph: graphIn(WELCOME), defined, words, flows: ['welcome-menu', 'pin-entry'] };
}

function proposedIn(marked: string): string[] {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  return complete(text, at, contextOf(text))?.options.map(({ label }) => label) ?? [];
}

/** The welcome menu with one changed part. */
const welcome = (from: string, to: string): string => {
  expect(WELCOME).toContain(from);
  return WELCOME.replace(from, to);
};

describe('proposals by position', () => {
  test('contains all verbs and the other keys for a step without a verb', () => {
    const labels = proposedIn(welcome('welcome: { play: welcome, next: menu }', 'welcome:\n    |'));
    expect(labels).toEqual(expect.arrayContaining(['play', 'menu', 'hangup', 'exits', 'next', 'max_visits']));
  });

  test('contains no other verb for a step with one', () => {
    const labels = proposedIn(welcome('next: menu }\n\n  menu:', '| }\n\n  menu:'));
    expect(labels).toContain('exits');
    expect(labels).not.toContain('play');
    expect(labels).not.toContain('menu');
  });

  test('contains the arguments of a verb, except for existing ones', () => {
    const labels = proposedIn(welcome('      prompt: choices\n', '      prompt: choices\n      |\n'));
    expect(labels).toEqual(expect.arrayContaining(['attempts', 'speech', 'barge_in']));
    expect(labels).not.toContain('choices');
    expect(labels).not.toContain('prompt');
  });

  test('contains the arguments inside arguments', () => {
    expect(proposedIn(welcome('digits: { min: 2,', 'digits: { min: 2, |'))).toEqual(expect.arrayContaining(['length']));
  });

  test('contains the outcomes of the step as exits', () => {
    const labels = proposedIn(welcome('exits: { hours: hours, ', 'exits: { hours: hours, | '));
    expect(labels).toEqual(expect.arrayContaining(['exhausted.no_input', 'error']));
    expect(labels).not.toContain('hours');
  });

  test.each([
    ['an exit', 'exits: { hours: hours,', 'exits: { hours: ho|,'],
    ['next', 'how: { play: how, next: menu }', 'how: { play: how, next: | }'],
    ['start', 'start: welcome', 'start: |'],
    ['the exits of the defaults', 'exits: { error: apologise }', 'exits: { error: | }'],
  ])('contains steps after %s', (_, from, to) => {
    const labels = proposedIn(welcome(from, to));
    expect(labels).toEqual(expect.arrayContaining(['welcome', 'read_back', 'bye']));
    expect(labels.includes('$end')).toBe(!to.startsWith('start'));
  });

  test.each([
    ['play', 'how: { play: how,', 'how: { play: |,'],
    ['the prompt of a menu', '      prompt: choices\n', '      prompt: |\n'],
    ['a list of prompts', 'no_match: [[sorry, choices]]\n    max', 'no_match: [[sorry, |]]\n    max'],
  ])('contains prompts after %s', (_, from, to) => {
    expect(proposedIn(welcome(from, to))).toEqual(expect.arrayContaining(['welcome', 'sorry', 'broken']));
  });

  test('contains variables and steps by name in expressions', () => {
    const text = 'flow: a\nvars: { order: {}, days: {} }\nstart: one\nsteps:\n  one: { play: "${ vars.| }" }\n';
    expect(proposedIn(text)).toEqual(['order', 'days']);
    expect(proposedIn(text.replace('vars.|', 'steps.|'))).toEqual(['one']);
  });

  test('contains names of flows for a subflow', () => {
    expect(proposedIn('flow: a\nsteps:\n  one: { subflow: { flow: | } }\n')).toEqual(['welcome-menu', 'pin-entry']);
  });

  test('contains the allowed words, and true and false', () => {
    expect(proposedIn('flow: a\nsteps:\n  one:\n    collect: { typeahead: | }\n').length).toBeGreaterThan(1);
  });

  test('are empty in a comment', () => {
    expect(proposedIn('flow: a # re|\n')).toEqual([]);
  });
});

test('replaces the typed word with the accepted proposal', () => {
  const text = 'flow: a\nsteps:\n  one: { play: x, next: "tw';
  expect(complete(text, text.length, contextOf(text))?.from).toBe(text.length - 2);
});

describe('help at the cursor', () => {
  const helpOn = (word: string) => helpAt(contextOf(WELCOME), WELCOME.indexOf(word) + 1);

  test('describes a verb, a key and an outcome', () => {
    expect(helpOn('collect:')).toMatchObject({ verb: 'collect' });
    expect(helpOn('max_visits')?.key?.description).toMatch(/number of times/i);
    expect(helpOn('exhausted: nobody')).toMatchObject({ title: 'exhausted' });
  });

  test('finds the verb of a step', () => {
    const { words } = namesIn(WELCOME, language.verbs);
    expect(verbAt({ words, language }, 'extension')).toBe('collect');
    expect(verbAt({ words, language }, 'none')).toBeUndefined();
  });
});

describe('names in a flow', () => {
  const names = namesIn(WELCOME, language.verbs);
  const textAt = ({ from, to }: { from: number; to: number }): string => WELCOME.slice(from, to);

  test('links an exit with its step, and a step with its incoming exits', () => {
    const name = nameAt(names, WELCOME.indexOf('exhausted: nobody') + 12)!;
    expect(name).toMatchObject({ kind: 'step', name: 'nobody' });
    const found = definitionOf(names, name)!;
    expect(WELCOME.slice(found.from, found.from + 20)).toBe('nobody: { play: nobo');
    expect(usesOf(names, { kind: 'step', name: 'menu' }).map(textAt)).toEqual(['menu', 'menu', 'menu', 'menu', 'menu']);
  });

  test('includes their uses in expressions', () => {
    expect(usesOf(names, { kind: 'step', name: 'extension' }).length).toBe(2);
  });

  test('are distinct for a prompt and a step with the same name', () => {
    const prompt = nameAt(names, WELCOME.indexOf('play: hours') + 7)!;
    expect(prompt.kind).toBe('prompt');
    expect(definitionOf(names, prompt)!.from).toBeLessThan(WELCOME.indexOf('steps:'));
  });

  test('maps a position to its step, and a step to its position', () => {
    expect(stepAt(names, WELCOME.indexOf('terminator'))).toBe('extension');
    expect(stepAt(names, WELCOME.indexOf('prompts:'))).toBeUndefined();
    expect(textAt(rangeOfStep(names, 'how')!)).toBe('how: { play: how, next: menu');
  });
});
