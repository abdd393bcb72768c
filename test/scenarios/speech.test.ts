/** Callers who speak instead of pressing keys. */
import { describe, it } from 'vitest';
import { succeeds } from './rehearse.ts';

const menu = `
flow: test
start: ask
prompts: { ask: "Billing or agent?" }
steps:
  ask:
    menu:
      prompt: ask
      choices:
        billing: { dtmf: "1", say: [billing, invoice] }
        agent: { dtmf: "0", say: [agent, "speak to someone"] }
      attempts: 2
      start_timeout: 5s
    exits: { billing: billing, agent: agent, exhausted: neither, error: neither }
  billing: { hangup: normal }
  agent: { hangup: normal }
  neither: { hangup: normal }
`;

describe('a menu', () => {
  it.each([
    ['a phrase', '{ say: billing }', 'billing'],
    ['another phrase of the same choice', '{ say: Invoice }', 'billing'],
    ['several words', '{ say: speak to someone }', 'agent'],
    ['a key', '{ press: "0" }', 'agent'],
    ['nonsense, then a phrase', '{ say: bananas }, { say: agent }', 'agent'],
    ['nonsense, then a key', '{ say: bananas }, { press: "1" }', 'billing'],
    ['nonsense twice', '{ say: bananas }, { say: oranges }', 'exhausted.no_match'],
    ['noise twice', '{ speak: 1s }, { speak: 1s }', 'exhausted.no_match'],
    [
      'something not sure enough, twice',
      '{ say: { text: agent, confidence: 0.1 } }, { say: { text: agent, confidence: 0.2 } }',
      'exhausted.no_match',
    ],
    ['nothing, twice', 'silence, silence', 'exhausted.no_input'],
  ])('hears in a menu: %s', async (_what, acts, outcome) => {
    await succeeds(menu, `script: [{ hear: ask }, ${acts}]\nexpect: { outcomes: { ask: ${outcome} } }`);
  });

  it('is interrupted by the first word', async () => {
    await succeeds(
      menu,
      `
prompts: { ask: 20s }
script: [{ hear: ask }, { say: { text: billing, at: 3s, lasts: 1s } }]
expect: { outcomes: { ask: billing }, duration: 6s }
`,
    );
  });
});

describe('collect', () => {
  const collect = (args: string): string => `
flow: test
vars: { said: { type: string, sensitive: true } }
start: ask
prompts: { ask: Please speak }
steps:
  ask:
    collect: { prompt: ask, ${args}, attempts: 1, start_timeout: 5s, recognizer_timeout: 1s }
    set: { said: "\${ result.speech ? result.speech : result.digits }" }
    exits: { collected: bye, exhausted: bye, error: bye }
  bye: { hangup: normal }
`;

  it.each([
    [
      'digits, spoken',
      'digits: { length: 4 }, speech: { grammar: digits }',
      '{ say: one two three four }',
      'collected',
    ],
    [
      'too few digits, spoken',
      'digits: { length: 4 }, speech: { grammar: digits }',
      '{ say: one two }',
      'exhausted.no_match',
    ],
    ['digits, pressed', 'digits: { length: 4 }, speech: { grammar: digits }', '{ press: "1234" }', 'collected'],
    ['yes', 'speech: { grammar: yes_no }', '{ say: "yes" }', 'collected'],
    ['a word that was expected', 'speech: { hints: [Paris, London] }', '{ say: london }', 'collected'],
    ['a word that was not', 'speech: { hints: [Paris, London] }', '{ say: Tokyo }', 'exhausted.no_match'],
    ['any sentence', 'speech: {}', '{ say: I would like to complain }', 'collected'],
    ['nothing', 'speech: {}', 'silence', 'exhausted.no_input'],
    ['noise', 'speech: {}', '{ speak: 2s }', 'exhausted.no_match'],
  ])('matches what is said: %s', async (_what, args, act, outcome) => {
    await succeeds(collect(args), `script: [{ hear: ask }, ${act}]\nexpect: { outcomes: { ask: ${outcome} } }`);
  });

  it('keeps sensitive words out of the book', async () => {
    await succeeds(
      collect('speech: {}').replace('    set:', '    sensitive: true\n    set:'),
      `
script: [{ hear: ask }, { say: my password is swordfish }]
expect: { outcomes: { ask: collected }, never: { trace_contains: swordfish } }
`,
    );
  });
});
