/** Texts of fields become values of the flow, or a sentence that says why not. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { LanguageKey } from '../../../src/language/flow/text/language.ts';
import { setLanguage } from '../../../src/pages/shared/web/words/translate.ts';
import { readDuration, sayDuration, writeDuration } from '../../../src/pages/studio/web/form/durations.ts';
import { allFields, type EditorKind, formOf } from '../../../src/pages/studio/web/form/fields.ts';
import { typesOf } from '../../../src/pages/studio/web/form/limits.ts';
import { storedText } from '../../../src/pages/studio/web/form/proposed.tsx';
import { defaultWords, readRow, readTyped, rowText, shownValue } from '../../../src/pages/studio/web/form/values.ts';
import { partsOf, problemOfWords } from '../../../src/pages/studio/web/form/words.ts';
import { language } from './samples.ts';

const keyOf = (verb: string, name: string) => language.verbs[verb]!.schema.properties![name]!;

describe('a duration', () => {
  afterEach(() => setLanguage({}));

  it.each([
    ['en', '6s', '6s', '6 seconds'],
    ['en', '20 seconds', '20s', '20 seconds'],
    ['en', '1 min 30', '1m30s', '1 minute 30 seconds'],
    ['en', '90s', '1m30s', '1 minute 30 seconds'],
    ['en', '1:30', '1m30s', '1 minute 30 seconds'],
    ['en', '1:00:00', '1h', '1 hour'],
    ['en', '1 minute and 30 seconds', '1m30s', '1 minute 30 seconds'],
    ['en', '1 hour, 5 minutes', '1h5m', '1 hour 5 minutes'],
    ['en', '500 ms', '500ms', '500 milliseconds'],
    ['en', '1.5 s', '1.5s', '1.5 seconds'],
    ['en', '1,5 min', '1m30s', '1 minute 30 seconds'],
    ['en', '2 days', '48h', '48 hours'],
    ['de', '90 Sekunden', '1m30s', '1 Minute, 30 Sekunden'],
    ['de', '1 Std. 5 Min.', '1h5m', '1 Stunde, 5 Minuten'],
    ['de', '1,5 Sekunden', '1.5s', '1,5 Sekunden'],
    ['fr', '2 heures et 3 minutes', '2h3m', '2 heures 3 minutes'],
    ['ar-u-nu-latn', 'دقيقة و30 ثانية', '1m30s', 'دقيقة و30 ثانية'],
    ['ar-u-nu-latn', '٣٠ ثانية', '30s', '30 ثانية'],
    ['ar-u-nu-latn', 'ثانيتان', '2s', 'ثانيتان'],
  ])('is written short in %s: %s', (locale, typed, written, said) => {
    setLanguage({}, locale);
    expect(readTyped(typed, keyOf('menu', 'start_timeout'), 'duration')).toEqual({ value: written });
    // French has spaces that do not break.
    expect(shownValue(written, 'duration').replaceAll(/\s/g, ' ')).toBe(said);
  });

  it.each(['6', 'soon', '6 s and', '1 x', '1:75', 'and', '2 2'])('is refused in a sentence: %s', (typed) => {
    expect(readTyped(typed, keyOf('menu', 'start_timeout'), 'duration')).toEqual({
      problem: 'A duration, such as 6 seconds or 1 min 30',
    });
  });

  it.each(['en', 'de', 'fr', 'ar-u-nu-latn'])('keeps its length in each form in %s', (locale) => {
    setLanguage({}, locale);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat(100_000_000),
          fc.nat(200_000).map((s) => s * 1000),
        ),
        (ms) => {
          expect(readDuration(writeDuration(ms))).toBe(ms);
          expect(readDuration(sayDuration(writeDuration(ms)))).toBe(ms);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is said in words as the default of a field', () => {
    expect(defaultWords({ type: 'string', code: 'duration', otherwise: '`5s`' }, 'duration')).toBe('5 seconds');
    expect(defaultWords(keyOf('menu', 'start_timeout'), 'duration')).toMatch(/^\d+ seconds$/);
  });

  it('has an editor for each key of each verb', () => {
    const reached = (key: LanguageKey, path: string[], editor: EditorKind | undefined): string[] => [
      ...(key.code === 'duration' && editor !== 'duration' && typesOf(key).has('string') ? [path.join('.')] : []),
    ];
    const missed = Object.keys(language.verbs).flatMap((verb) =>
      allFields(formOf(language, verb)).flatMap(({ key, path, editor }) => reached(key, path.map(String), editor)),
    );
    expect(missed).toEqual([]);
  });
});

describe('a telephone number', () => {
  it.each([
    ['+33 1 42 33 44 55', '+33142334455'],
    ['0033 1 42-33.44/55', '+33142334455'],
    ['+49 (0)30 123456', '+4930123456'],
    ['0049 (0) 30 123456', '+4930123456'],
    ['+39 (0)6 1234567', '+39061234567'],
    ['tel:+1 (212) 555-0100', '+12125550100'],
    ['\u202a+33 1\u00a042\u202c 33 44 55', '+33142334455'],
    ['1000', '1000'],
    ['030 123 456', '030123456'],
  ])('is stored in one form: %s', (typed, stored) => {
    for (const path of [
      ['bridge', 'to'],
      ['bridge', 'to', 0],
      ['queue', 'agents', 1],
      ['transfer', 'from'],
      ['message', 'to'],
      ['do_not_call', 'number'],
    ])
      expect(storedText(language, path, typed), path.join('.')).toBe(stored);
  });

  it('leaves addresses, templates and other texts as they are', () => {
    for (const text of ['sip:ann@example.com', 'user:ann', '${ vars.desk }'])
      expect(storedText(language, ['bridge', 'to'], text)).toBe(text);
    expect(storedText(language, ['bridge', 'to'], 'nobody at all')).toBeUndefined();
    expect(storedText(language, ['message', 'from'], 'The bakery')).toBe('The bakery');
    expect(storedText(language, ['log', 'message'], '+33 1 42')).toBe('+33 1 42');
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
    ['bridge', 'end_key', 'key', '12', { problem: 'Needs to be one key of the phone, such as "1" or "#"' }],
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
});
