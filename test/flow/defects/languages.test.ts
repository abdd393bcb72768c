import { describe, expect, it } from 'vitest';
import { around, findings } from '../check-flow.ts';
import { seeded } from './seeded.ts';

const COUNT = 'count: { set: { visits: "${ vars.visits + 1 }",';
const setting = (value: string) => `count: { set: { call.locale: ${value}, visits: "\${ vars.visits + 1 }",`;
const WARD = '    set: { ward: "${ result.choice }" }';
const GREET = 'greet: { play: welcome,';

describe('languages', () => {
  seeded('unknown-locale?', [
    [COUNT, setting('«fr-FR')],
    [COUNT, setting("\"${ «vars.visits > 3 ? 'de-DE' : 'en-US' }\"")],
    [COUNT, setting('"${ «vars.lang }"'), 'vars:\n', 'vars:\n  lang: { enum: [en-US, es-ES], default: en-US }\n'],
    [WARD, '    set: { ward: "${ result.choice }", call.locale: «it }'],
    ['locale: en-US', 'locale: "${ «input.lang }"', 'input:\n', 'input:\n  lang: { enum: [en-US, nl], default: nl }\n'],
    [GREET, `${GREET} locale: "\${ «input.beds > 0 ? 'pt-BR' : 'en' }",`],
  ]);
  seeded('not-speakable', [
    [COUNT, setting('«German')],
    [COUNT, setting('«5')],
    [COUNT, setting('"${ «vars.visits }"')],
    [COUNT, setting("\"${ «vars.insured ? 'English' : 'en-US' }\"")],
    [WARD, '    set: { ward: "${ result.choice }", call.voice: «very loud }'],
    [GREET, `${GREET} voice: "\${ «vars.visits }",`],
  ]);

  it.each([
    ['call.locale: fr-FR', '6:18 prompt-language?'],
    ["call.locale: \"${ call.from = '1' ? 'fr' : 'en-US' }\"", '6:18 prompt-language?'],
    ['call.locale: en-GB', undefined],
  ])('reports a missing prompt in a language that may be chosen: %s', (set, found) => {
    const prompts = 'prompts: { first: { en-US: One., fr-FR: Une. }, second: { en-US: Two. } }\n';
    const text = around(
      `  first: { play: second, set: { ${set} }, next: then }\n  then: { play: first, next: bye }`,
      prompts,
    );
    expect(findings(text)).toEqual(found === undefined ? [] : [found]);
  });
});

describe('voices', () => {
  const HELLO = 'welcome: { en-US: Welcome to the clinic. }';
  const configured = { users: [], numbers: [], prefixes: [], secrets: [], voices: ['Joanna', 'Polly.Joanna', 'nova'] };
  seeded(
    'unknown-voice?',
    [
      ['locale: en-US', 'locale: en-US\n  voice: «Joana'],
      ['locale: en-US', 'locale: en-US\n  voice: [«Polly.Amy, nova, female]'],
      [GREET, `${GREET} voice: [nova, «Sonia],`],
      [HELLO, 'welcome: { en-US: { text: Welcome., voice: «azure.Joanna } }'],
      [WARD, '    set: { ward: "${ result.choice }", call.voice: «onyx }'],
      ['play: welcome', 'play: { prompt: welcome, voice: «Mary }'],
      ['play: welcome', 'play: [welcome, { text: Hello., voice: [polly.joanna, «Bob] }]'],
    ],
    { configured },
  );
  seeded('unknown-voice?', [
    ['locale: en-US', 'locale: en-US\n  voice: «femal'],
    [GREET, `${GREET} voice: «mael,`],
    [HELLO, 'welcome: { en-US: { text: Welcome., voice: «femail } }'],
    ['play: welcome', 'play: { prompt: welcome, voice: [Joanna, «feamle] }'],
    [WARD, '    set: { ward: "${ result.choice }", call.voice: «fmale }'],
  ]);
});
