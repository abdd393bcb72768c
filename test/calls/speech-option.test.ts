import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import { SAY_AS } from '../../src/language/ssml/interpret-as.ts';
import { ssmlProblems } from '../../src/language/ssml/read-ssml.ts';
import { SPEECH_STYLES } from '../../src/language/ssml/styles.ts';
import { ssmlOfOption } from '../../src/service/calls/prompts/speech-option.ts';

const CONTEXT = { text: 'Main text', voice: 'female', language: 'en-US' } as const;
const read = (option: Json, text: string | undefined = CONTEXT.text) => ssmlOfOption(option, { ...CONTEXT, text });
/** Content of the document, which must be one element. */
const inside = (option: Json, text?: string): string => {
  const { ssml, problem } = read(option, text);
  expect(problem).toBeUndefined();
  expect(ssmlProblems(ssml!)).toEqual([]);
  return /^<speak version="1\.1" xml:lang="en-US">(.*)<\/speak>$/.exec(ssml!)![1]!;
};
const problem = (option: Json) => read(option).problem;

describe('text_to_speech_option', () => {
  it('speaks its members in the order of the interface, whatever their order in the JSON', () => {
    const option = {
      'say-as': { text: '4711', 'interpret-as': 'number_digit' },
      prosody: {
        text3: 'five',
        'say-as': { 'interpret-as': 'date', format: 'dmy', text: '24/12/2026' },
        text2: 'four',
        break: { value: '1s' },
        text: 'three',
        volume: '+20%',
        pitch: 'high',
        rate: 'slow',
      },
      'express-as': { style: 'Cheerful', text: 'two and a half' },
      text2: 'two',
      break: { time: '200ms' },
      text: 'one',
      silence: { type: 'Leading', value: '300ms' },
    };
    expect(inside(option)).toBe(
      '<mstts:silence type="leading" value="300ms"/> one <break time="200ms"/> two ' +
        '<mstts:express-as style="cheerful">two and a half</mstts:express-as> ' +
        '<prosody rate="slow" pitch="high" volume="+20%">three <break time="1000ms"/> four ' +
        '<say-as interpret-as="date" format="dmy">24/12/2026</say-as> five</prosody> ' +
        '<say-as interpret-as="number_digit">4711</say-as>',
    );
  });

  it.each<[string, Json, string]>([
    ['the text beside it', { text2: 'more' }, 'Main text more'],
    ['its own text instead', { text: 'Own' }, 'Own'],
    [
      'a style without words',
      { 'express-as': { style: 'gentle' } },
      '<mstts:express-as style="gentle">Main text</mstts:express-as>',
    ],
    ['prosody without words', { prosody: { rate: 'fast' } }, '<prosody rate="fast">Main text</prosody>'],
    [
      'a reading without words',
      { 'say-as': { 'interpret-as': 'name' } },
      '<say-as interpret-as="name">Main text</say-as>',
    ],
    ['a factor given as a number', { prosody: { rate: 1.2 } }, '<prosody rate="1.2">Main text</prosody>'],
    ['markup as words', { text: '<break/> & "co"' }, '&lt;break/&gt; &amp; &quot;co&quot;'],
    ['keys it does not know', { effect: 'robot', text: 'a' }, 'a'],
    ['nothing more than is there', { silence: null, break: null, text2: '' }, 'Main text'],
  ])('accepts %s, and writes valid SSML', (_name, option, expected) => expect(inside(option)).toBe(expected));

  it.each<[string | number, number]>([
    ['250ms', 250],
    ['1.5s', 1500],
    ['5000', 5000],
    [700, 700],
    ['4000us', 4],
    ['30s', 5000],
    ['strong', 750],
  ])('pauses for %s as %i ms', (value, ms) => {
    expect(inside({ break: { value } })).toBe(`Main text <break time="${ms}ms"/>`);
    expect(inside({ break: { time: value } })).toBe(`Main text <break time="${ms}ms"/>`);
  });

  it.each(SPEECH_STYLES)('supports the speaking style %s', (style) => {
    expect(inside({ 'express-as': { style, text: 'x' } })).toContain(`style="${style}"`);
  });

  it.each(Object.entries(SAY_AS))('supports the interpretation as %s', (interpretAs, formats) => {
    const known =
      formats === 'none' ? [undefined, ''] : formats === 'country code' ? [undefined, '49'] : [undefined, ...formats];
    for (const format of known) {
      const sayAs = { 'interpret-as': interpretAs, text: '1', ...(format === undefined ? {} : { format }) };
      expect(inside({ 'say-as': sayAs, prosody: { 'say-as': sayAs } })).toContain(`interpret-as="${interpretAs}"`);
    }
    expect(problem({ 'say-as': { 'interpret-as': interpretAs, format: 'zzz', text: '1' } })?.path).toBe(
      '/say-as/format',
    );
  });

  it.each(['silent', 'x-soft', 'soft', 'medium', 'loud', 'x-loud', 'default', '50%', '+20%', '-20%'])(
    'supports the volume level %s',
    (volume) => {
      expect(inside({ prosody: { volume, text: 'x' } })).toContain(`volume="${volume}"`);
    },
  );

  it.each<[Json, string]>([
    ['cheerful', ''],
    [[], ''],
    [{ text: true }, '/text'],
    [{ silence: '1s' }, '/silence'],
    [{ silence: { type: 'Middle', value: '1s' } }, '/silence/type'],
    [{ silence: { type: 'Leading' } }, '/silence/value'],
    [{ break: {} }, '/break/time'],
    [{ break: { value: 'long' } }, '/break/value'],
    [{ break: { time: '-1s' } }, '/break/time'],
    [{ 'express-as': { text: 'x' } }, '/express-as/style'],
    [{ 'express-as': { style: 'angry' } }, '/express-as/style'],
    [{ prosody: { rate: 'quickly' } }, '/prosody/rate'],
    [{ prosody: { pitch: 'deep' } }, '/prosody/pitch'],
    [{ prosody: { volume: 'loudest' } }, '/prosody/volume'],
    [{ prosody: { break: { time: 'x' } } }, '/prosody/break/time'],
    [{ prosody: { 'say-as': { 'interpret-as': 'cardinal' } } }, '/prosody/say-as/text'],
    [{ 'say-as': { text: '1' } }, '/say-as/interpret-as'],
    [{ 'say-as': { 'interpret-as': 'prime', text: '1' } }, '/say-as/interpret-as'],
    [{ 'say-as': { 'interpret-as': 'cardinal', format: 'dmy', text: '1' } }, '/say-as/format'],
    [{ text: 'x'.repeat(4001) }, ''],
  ])('refuses %j at %s', (option, path) => {
    expect(problem(option)).toMatchObject({ path, message: expect.stringMatching(/\w/) });
  });

  it('refuses an option without text', () => {
    expect(read({ break: { time: '1s' } }, '').problem).toMatchObject({ path: '' });
  });
});
