import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/core/clock.ts';
import { createVoiceRouter, rankVoices } from '../../src/media/speech/voice-router.ts';
import { fakeSynthesizer } from './fake-synthesizer.ts';

const both = (language: string) => [{ language, voice: 'female' } as const, { language, voice: 'male' } as const];
const american = fakeSynthesizer({ name: 'american', voices: both('en-US') });
const british = fakeSynthesizer({ name: 'british', voices: [{ language: 'en-GB', voice: 'female' }] });
const german = fakeSynthesizer({ name: 'german', voices: [{ language: 'de-DE', voice: 'female' }] });
const elsewhere = fakeSynthesizer({
  name: 'elsewhere',
  voices: [...both('de-DE'), ...both('pt-BR')],
  styles: ['cheerful'],
});
const said = (language: string, voice: 'female' | 'male', style?: string) =>
  rankVoices([american, british, german, elsewhere], language, voice, style).map(
    (choice) => `${choice.synthesizer.name} ${choice.language} ${choice.voice}`,
  );

describe('choice of an engine by language', () => {
  it.each<[string, 'female' | 'male', string[]]>([
    ['en-GB', 'female', ['british en-GB female', 'american en-US female']],
    ['en-GB', 'male', ['american en-US male', 'british en-GB female']],
    ['en', 'female', ['american en-US female', 'british en-GB female']],
    ['EN_us', 'male', ['american en-US male', 'british en-GB female']],
    ['de-AT', 'male', ['elsewhere de-DE male', 'german de-DE female']],
    ['de-DE', 'female', ['german de-DE female', 'elsewhere de-DE female']],
    ['pt-PT', 'male', ['elsewhere pt-BR male']],
    ['fr-FR', 'female', []],
    ['', 'female', []],
    ['e', 'female', []],
  ])('chooses engines for the language %s, %s', (language, voice, expected) =>
    expect(said(language, voice)).toEqual(expected),
  );

  it('prefers engines with the style, among equals', () => {
    expect(said('de-DE', 'female', 'cheerful')[0]).toBe('elsewhere de-DE female');
    expect(said('de-DE', 'female', 'angry')[0]).toBe('german de-DE female');
  });

  it('reports the substitution of a voice', () => {
    const [choice] = rankVoices([german], 'de-AT', 'male');
    expect(choice).toMatchObject({ otherLanguage: true, otherVoice: true });
    expect(rankVoices([german], 'de', 'female')[0]).toMatchObject({ otherLanguage: false, otherVoice: false });
  });
});

describe('an engine that failed', () => {
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, after: () => ({ cancel: () => {} }) };

  it('is tried after the others, for longer each time, until it succeeds', () => {
    const router = createVoiceRouter([elsewhere, german], clock);
    const first = () => router.choices('de-DE', { voice: 'female' })[0]?.synthesizer.name;
    expect(first()).toBe('elsewhere');
    const restMs = () => {
      router.failed(elsewhere);
      const fromMs = nowMs;
      while (first() === 'german') nowMs += 1000;
      return nowMs - fromMs;
    };
    expect([restMs(), restMs(), restMs(), restMs(), restMs()]).toEqual([5000, 10_000, 20_000, 40_000, 60_000]);
    router.succeeded(elsewhere);
    expect(restMs()).toBe(5000);
  });

  it('is still used if there is no other', () => {
    const router = createVoiceRouter([german], clock);
    router.failed(german);
    expect(router.choices('de-DE', { voice: 'female' })).toHaveLength(1);
  });
});

describe('voices by name', () => {
  const clock: Clock = { now: () => 0, monotonicMs: () => 0, after: () => ({ cancel: () => {} }) };
  const engine = (name: string, languages: string[], named: Record<string, string>) =>
    fakeSynthesizer({
      name,
      voices: languages.map((language) => ({ language, voice: 'female' as const })),
      named: Object.entries(named).map(([each, own]) => ({ name: each, own })),
    });
  const router = createVoiceRouter(
    [
      engine('Polly', ['en-US', 'fr-FR'], { Joanna: 'Joanna', Lea: 'Lea' }),
      engine('azure', ['en-GB', 'en-US'], { Joanna: 'en-US-JoannaNeural', Sonia: 'en-GB-SoniaNeural' }),
    ],
    clock,
  );
  const spoken = (language: string, ...voices: string[]) =>
    router
      .choices(language, { voice: 'female', voices })
      .map(({ synthesizer, voiceName = '' }) => `${synthesizer.name} ${voiceName}`.trim());

  it.each<[string, string[], string[]]>([
    ['en-US', ['Lea'], ['Polly Lea', 'Polly', 'azure']],
    ['en-US', ['Joanna'], ['Polly Joanna', 'azure en-US-JoannaNeural', 'Polly', 'azure']],
    ['en-US', ['azure.Joanna'], ['azure en-US-JoannaNeural', 'Polly', 'azure']],
    ['en-US', ['polly.joanna'], ['Polly Joanna', 'Polly', 'azure']],
    ['en-US', ['Nobody', 'Sonia'], ['azure en-GB-SoniaNeural', 'Polly', 'azure']],
    ['en-US', ['Nobody'], ['Polly', 'azure']],
    ['fr-FR', ['Sonia', 'Lea'], ['Polly Lea', 'Polly']],
    ['en-US', [], ['Polly', 'azure']],
  ])('are spoken in %s, for %j, by the first of %j', (language, voices, expected) => {
    expect(spoken(language, ...voices)).toEqual(expected);
  });
});
