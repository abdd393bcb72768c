/** Texts of fields become values of the flow, or a sentence that says why not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDuration, sayDuration, writeDuration } from '../../../src/pages/studio/web/form/durations.ts';
import { readRow, readTyped, rowText } from '../../../src/pages/studio/web/form/values.ts';
import { isPlaceholder, partsOf, problemOfWords } from '../../../src/pages/studio/web/form/words.ts';
import { language } from './samples.ts';

const keyOf = (verb: string, name: string) => language.verbs[verb]!.schema.properties![name]!;

describe('a duration', () => {
  it.each([
    ['6s', '6s', '6 s'],
    ['1 min 30', '1m30s', '1 min 30 s'],
    ['90s', '1m30s', '1 min 30 s'],
    ['1m30s', '1m30s', '1 min 30 s'],
    ['1 hour 5 minutes', '1h5m', '1 h 5 min'],
    ['500 ms', '500ms', '500 ms'],
    ['1.5 s', '1.5s', '1 s 500 ms'],
    ['1,5 min', '1m30s', '1 min 30 s'],
  ])('is written short: %s', (typed, written, said) => {
    expect(readTyped(typed, keyOf('menu', 'start_timeout'), 'duration')).toEqual({ value: written });
    expect(sayDuration(written)).toBe(said);
  });

  it.each(['6', 'soon', '6 s and', '1 x'])('is refused in a sentence: %s', (typed) => {
    expect(readTyped(typed, keyOf('menu', 'start_timeout'), 'duration')).toEqual({
      problem: 'A duration, such as 6 s or 1 min 30',
    });
  });

  it('keeps its length in each form', () => {
    fc.assert(
      fc.property(fc.nat(100_000_000), (ms) => {
        expect(readDuration(writeDuration(ms))).toBe(ms);
        expect(readDuration(sayDuration(writeDuration(ms)))).toBe(ms);
      }),
    );
  });
});

describe('the text of a field', () => {
  it.each([
    ['menu', 'attempts', 'number', '2', { value: 2 }],
    ['menu', 'attempts', 'number', '', { value: undefined }],
    ['menu', 'attempts', 'number', '200', { problem: 'Needs a number between 1 and 20' }],
    ['menu', 'attempts', 'number', '2.5', { problem: 'Needs a whole number' }],
    ['menu', 'attempts', 'number', 'many', { problem: 'Needs a number between 1 and 20' }],
    ['menu', 'attempts', 'number', '${ vars.tries }', { value: '${ vars.tries }' }],
    ['menu', 'attempts', 'number', '${ vars.tries', { problem: 'A } is missing' }],
    ['repeat', 'times', 'number', '${ vars.tries }', { value: '${ vars.tries }' }],
    ['bridge', 'end_key', 'key', '12', { problem: 'Needs to be one key of the phone in quotes, such as "1" or "#"' }],
    ['bridge', 'record', 'text', 'yes', { value: true }],
    ['bridge', 'record', 'text', 'dual', { value: 'dual' }],
    ['webhook', 'url', 'text', 'shop.example', { problem: 'Needs to be a URL that starts with https:// or http://' }],
  ] as const)('is read for %s.%s by the editor %s: "%s"', (verb, name, editor, typed, read) => {
    expect(readTyped(typed, keyOf(verb, name), editor)).toEqual(read);
  });

  it('keeps the type of the value of a row', () => {
    for (const value of ['text', 'true', '4', true, 4, null, ['a'], { a: 1 }, '${ vars.x }']) {
      expect(readRow(rowText(value))).toEqual(value);
    }
  });
});

describe('a condition', () => {
  it.each([
    ["vars.tier = 'gold'", { value: "vars.tier = 'gold'" }],
    ['true', { value: true }],
    ['', { value: undefined }],
    ['$count(vars.list', { problem: 'A ) is missing' }],
    ["vars.tier = 'gold", { problem: "A ' is missing" }],
    ['${ vars.x }', { problem: 'A condition is written without ${ }' }],
  ])('is read, or refused in a sentence: %s', (typed, read) => {
    expect(readTyped(typed, language.step.properties!['when']!, 'expression')).toEqual(read);
  });
});

describe('words', () => {
  const flow = {
    prompts: { hello: 'Good morning.', bye: { en: 'Bye now.', fr: 'Au revoir.' }, ring: { audio: 'ring.wav' } },
  };
  const at = ['steps', 'a', 'play'];

  it('are found where they are written', () => {
    expect(partsOf(flow, at, 'hello')).toEqual([
      { path: ['prompts', 'hello'], kind: 'words', text: 'Good morning.', prompt: 'hello' },
    ]);
    expect(partsOf(flow, at, 'bye').map(({ path, language: of }) => [path, of])).toEqual([
      [['prompts', 'bye', 'en'], 'en'],
      [['prompts', 'bye', 'fr'], 'fr'],
    ]);
    expect(partsOf(flow, at, 'Two words')).toEqual([{ path: at, kind: 'words', text: 'Two words' }]);
    expect(
      partsOf(flow, at, ['ring', { text: 'Hi' }, { silence: '1s' }]).map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ['sound', 'ring'],
      ['words', 'Hi'],
      ['other', 'silence 1s'],
    ]);
  });

  it('are refused if one word alone would name a sound', () => {
    const part = { path: at, kind: 'words', text: '' } as const;
    expect(problemOfWords(part, 'Welcome')).toMatch(/name of a sound/);
    expect(problemOfWords(part, 'hello')).toMatch(/name of a sound/);
    expect(problemOfWords(part, 'Welcome back')).toBeUndefined();
    expect(problemOfWords(part, 'Hello ${ vars.name')).toBe('A } is missing');
    expect(problemOfWords({ ...part, prompt: 'hello' }, 'Welcome')).toBeUndefined();
  });

  it('are placeholders in square brackets', () => {
    expect([isPlaceholder('[What should be said?]'), isPlaceholder('Press [1] or [2]')]).toEqual([true, false]);
  });
});
