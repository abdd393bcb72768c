/** Prompts of a step, found and changed at any place of their definition. */
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import { pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { changeWords, spokenWords } from '../../../src/pages/studio/web/text/spoken-words.ts';
import { language } from '../graph/flows.ts';

const FLOW = `flow: told
prompts:
  welcome: Welcome to us. # said first
  sorry: "Sorry: once more."
  long: >-
    Two lines
    of words.
  clip: { audio: jingle.wav }
  many: { en-US: Good day, fr-FR: Bonjour }
  slow: { text: Take your time, rate: 0.8 }
start: hello
steps:
  hello: { play: [welcome, clip], next: ask }
  ask:
    menu:
      prompt: { text: "Press one, please", voice: female }
      choices: { one: { dtmf: "1" } }
      no_input: [welcome]
      no_match: [[sorry, welcome]]
    exits: { one: many, exhausted: bye }
  many: { play: many, next: long }
  long: { play: long, next: slow }
  slow: { play: slow, next: inline }
  inline: { play: Bye for now., next: bye }
  bye: { hangup: normal }
`;

const change = (step: string, to: (text: string, label: string) => string): string => {
  const changes = spokenWords(FLOW, step, language).map(({ path, text, label }) => ({ path, text: to(text, label) }));
  const edits = changeWords(FLOW, changes);
  if (isRefusal(edits)) throw new Error(edits.refused);
  return applyEdits(FLOW, edits);
};

describe('prompts of a step', () => {
  it.each([
    ['a prompt by its name, not a file', 'hello', [['welcome', 'Welcome to us.']]],
    [
      'of a menu, what is said when nothing or something else is pressed, too, once each',
      'ask',
      [
        ['prompt', 'Press one, please'],
        ['welcome', 'Welcome to us.'],
        ['sorry', 'Sorry: once more.'],
      ],
    ],
    [
      'in each language',
      'many',
      [
        ['many, en-US', 'Good day'],
        ['many, fr-FR', 'Bonjour'],
      ],
    ],
    ['of several lines', 'long', [['long', 'Two lines of words.']]],
    ['with a manner of speaking', 'slow', [['slow', 'Take your time']]],
    ['that stand in the step itself', 'inline', [['play', 'Bye for now.']]],
    ['of a step that says nothing', 'bye', []],
    ['of a step that is not there', 'nowhere', []],
  ])('finds the words: %s', (_, step, words) => {
    expect(spokenWords(FLOW, step, language).map(({ label, text }) => [label, text])).toEqual(words);
  });

  it.each([
    ['hello', () => 'Hello there.', 'Welcome to us.', 'Hello there.'],
    ['ask', (text: string) => text.replace('once more', 'again'), 'once more', 'again'],
    ['many', (text: string) => text.replace('Bonjour', 'Salut'), 'Bonjour', 'Salut'],
    ['slow', () => 'No hurry', 'Take your time', 'No hurry'],
    ['inline', () => 'Ciao, my friend.', 'Bye for now.', '"Ciao, my friend."'],
  ])('are changed in their place, and nothing else: %s', (step, to, before, after) => {
    expect(change(step, to)).toBe(FLOW.replace(before, after));
  });

  it('leaves them the same, to the character, without a change', () => {
    for (const step of ['hello', 'ask', 'many', 'long']) expect(change(step, (text) => text)).toBe(FLOW);
  });
});

describe('steps on the clipboard', () => {
  const other = (prompts: string): string =>
    `flow: other\n${prompts}start: first\nsteps:\n  first: { play: Hm hm., next: bye }\n  bye: { hangup: normal }\n`;
  const pasted = (text: string): string => {
    const copied = copySteps(FLOW, ['ask'], language);
    if (typeof copied !== 'string') throw new Error(copied.refused);
    const result = pasteSteps(text, copied, language, 'first');
    if (isRefusal(result)) throw new Error(result.refused);
    return applyEdits(text, result.edits);
  };

  it('contains the prompts that they name', () => {
    const text = pasted(other('prompts:\n  mine: Mine is mine.\n'));
    expect(text).toContain('prompts:\n  mine: Mine is mine.\n  welcome: Welcome to us.\n');
    expect(text).toContain('no_match: [[sorry, welcome]]');
    expect(spokenWords(text, 'ask', language)).toEqual(spokenWords(FLOW, 'ask', language));
  });

  it('adds their prompts to a flow without prompts', () => {
    const text = pasted(other(''));
    expect(spokenWords(text, 'ask', language).map((words) => words.text)).toEqual(
      spokenWords(FLOW, 'ask', language).map((words) => words.text),
    );
  });

  it('keeps their words if the flow has others under that name, and leaves those unchanged', () => {
    const text = pasted(other('prompts:\n  welcome: Somebody else.\n  sorry: "Sorry: once more."\n'));
    expect(text).toContain('welcome: Somebody else.');
    expect(text).toContain('welcome_2: Welcome to us.');
    expect(text).toContain('no_input: [welcome_2]');
    expect(text).not.toContain('sorry_2');
  });
});
