import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { flowOf, succeeds } from './rehearse.ts';

const HEAD = `
prompts:
  choose: { en-US: "For English press 1.", fr-FR: "Pour le français tapez 2." }
  hello: { en-US: Hello., fr-FR: Bonjour. }
  bill: { en-US: You owe, fr-FR: Vous devez }
  "12": [{ text: "12" }]
  news: { en-US: News of today. }
defaults: { exits: { error: broken } }
start: choose`;
const END = `
  bye: { hangup: normal }
  broken: { hangup: failure }`;

const FRENCH = 'script: [{ hear: choose }, { press: "2" }]';
const choose = (set: string) => `
  choose:
    menu: { prompt: choose, choices: { en-US: { dtmf: "1" }, fr-FR: { dtmf: "2" } } }
    set: { ${set} }
    exits: { en-US: hello, fr-FR: hello, exhausted: bye }`;
const flow = (steps: string, head = HEAD) => `flow: languages\n${head}\nsteps:${steps}${END}`;
const chosen = flow(`${choose('call.locale: "${ result.choice }", call.voice: male')}
  hello: { play: [hello, bill, "12"], next: ask }
  ask: { collect: { prompt: hello, speech: {}, attempts: 1 }, exits: { collected: bye, exhausted: bye } }`);

/** Spoken prompts: language, voice, text. */
const spoken = (journal: readonly JournalEntry[]) =>
  journal.flatMap((entry) =>
    entry.kind === 'command' && entry.command.type === 'play'
      ? entry.command.audio.flatMap((item) =>
          item.type === 'speech' ? [`${item.language} ${item.voice} ${item.text}`] : [],
        )
      : [],
  );
const diagnostics = (journal: readonly JournalEntry[]) =>
  journal.flatMap((entry) => (entry.kind === 'diagnostic' ? [`${entry.code}: ${entry.message}`] : []));

describe('a caller who chooses the language', () => {
  it('hears prompts, numbers and the other voice from then on', async () => {
    const { journal } = await succeeds(
      chosen,
      `${FRENCH}\nexpect: { languages: [en-US, fr-FR], heard: [choose, Bonjour, Vous devez, "12", hello] }`,
    );
    expect(spoken(journal)).toEqual([
      'en-US female For English press 1.',
      'fr-FR male Bonjour.',
      'fr-FR male Vous devez',
      'fr-FR male 12',
      'fr-FR male Bonjour.',
    ]);
  });

  it('is listened to in it', async () => {
    const { journal } = await succeeds(chosen, FRENCH);
    const listening = journal.flatMap((entry) =>
      entry.kind === 'command' && entry.command.type === 'listen' ? [entry.command.language] : [],
    );
    expect(listening).toEqual(['fr-FR']);
  });

  it('is one step in the journal, which repeats', async () => {
    const { journal } = await succeeds(chosen, FRENCH);
    expect(journal.find(({ kind }) => kind === 'vars')).toMatchObject({
      set: { 'call.locale': 'fr-FR', 'call.voice': 'male' },
    });
    expect(await replayJournal(journal, () => flowOf(chosen))).toMatchObject({ ok: true });
  });

  it('is heard in another one than the test expects', async () => {
    await expect(succeeds(chosen, `${FRENCH}\nexpect: { languages: [en-US] }`)).rejects.toThrow('en-US → fr-FR');
  });
});

describe('a locale by template', () => {
  const vars = 'vars: { lang: { enum: [en-US, fr-FR], default: en-US } }';
  it('follows the variable in the locale of the flow', async () => {
    const head = `${vars}${HEAD.replace('defaults: {', 'defaults: { locale: "${ vars.lang }",')}`;
    const text = flow(`${choose('lang: "${ result.choice }"')}\n  hello: { play: hello, next: bye }`, head);
    const { journal } = await succeeds(text, FRENCH);
    expect(spoken(journal)).toEqual(['en-US female For English press 1.', 'fr-FR female Bonjour.']);
  });

  it('of a step is for that step', async () => {
    const text = flow(
      `${choose('lang: "${ result.choice }"')}
  hello: { play: hello, locale: "\${ vars.lang }", voice: male, next: again }
  again: { play: hello, next: bye }`,
      vars + HEAD,
    );
    const { journal } = await succeeds(text, FRENCH);
    expect(spoken(journal).slice(1)).toEqual(['fr-FR male Bonjour.', 'en-US female Hello.']);
  });
});

describe('flows that call flows', () => {
  const caller = flow(`${choose('call.locale: "${ result.choice }"')}
  hello: { subflow: inner, next: again }
  again: { play: hello, next: bye }`);
  const inner = (steps: string, head = '') => `flow: inner\nstart: first\n${head}\nsteps:\n${steps}`;
  const said = '  first: { play: "It is me", exits: { done: $end, error: $end } }';

  it.each([
    ['as the call does', caller, inner(said, 'defaults: { locale: de-DE }'), 'fr-FR'],
    [
      'as the step that calls does',
      flow('\n  choose: { subflow: inner, locale: fr-CA, next: bye }'),
      inner(said),
      'fr-CA',
    ],
    [
      'as they say themselves',
      flow('\n  choose: { subflow: inner, locale: fr-CA, next: bye }'),
      inner(said, 'defaults: { locale: de-DE }'),
      'de-DE',
    ],
  ])('speak %s', async (_how, text, called, locale) => {
    const { journal } = await succeeds(text, text === caller ? FRENCH : '', [called]);
    expect(spoken(journal)).toContain(`${locale} female It is me`);
  });

  it('change the language of the flow that called', async () => {
    const changing = inner('  first: { set: { call.locale: fr-FR }, next: $end }');
    const { journal } = await succeeds(
      flow('\n  choose: { subflow: inner, next: again }\n  again: { play: hello, next: bye }'),
      '',
      [changing],
    );
    expect(spoken(journal)).toEqual(['fr-FR female Bonjour.']);
  });
});

describe('a language that is not there', () => {
  const given = 'input: { lang: {} }';
  const asked = (lang: string) =>
    succeeds(
      flow(
        `\n  choose: { set: { call.locale: "\${ input.lang }" }, next: hello }
  hello: { play: [hello, bill, news], next: bye }`,
        given + HEAD,
      ),
      `input: { lang: ${lang} }`,
    );

  it.each(['German', '5', '""', 'null'])('keeps the language of the call when %s is not a locale', async (lang) => {
    const { journal } = await asked(lang);
    expect(spoken(journal)[0]).toBe('en-US female Hello.');
    expect(diagnostics(journal)).toEqual([
      `unknown_locale: ${lang === 'German' ? '"German"' : lang} is not a locale: the call continues in en-US`,
    ]);
  });

  it('is heard in another region of it', async () => {
    const { journal } = await asked('fr-CA');
    expect(spoken(journal)[0]).toBe('fr-FR female Bonjour.');
  });

  it('is heard in that of the flow, and the journal has each prompt once', async () => {
    const { journal } = await asked('de-DE');
    expect(spoken(journal)[0]).toBe('en-US female Hello.');
    expect(diagnostics(journal)).toEqual([
      'prompt_language: the prompt hello is not there in de-DE, and is heard in en-US',
    ]);
  });

  it('is known to expressions by what holds', async () => {
    const text = flow(
      `${choose('call.locale: "${ result.choice }"')}\n  hello: { log: "\${ call.locale } \${ call.voice }", next: bye }`,
    );
    const { journal } = await succeeds(text, FRENCH);
    expect(journal.find(({ kind }) => kind === 'log')).toMatchObject({ message: 'fr-FR female' });
  });
});
