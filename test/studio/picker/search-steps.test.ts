/** Search in the list of steps: everyday words find the step that a person wants. */
import { describe, expect, it } from 'vitest';
import { graphOf } from '../../../src/language/flow/graph.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import {
  findStepsFor,
  itemsFromQuery,
  listedSteps,
  meantStep,
} from '../../../src/pages/studio/web/picker/search-steps.ts';
import { suggestedVerbs } from '../../../src/pages/studio/web/picker/suggested.ts';
import { GROUPS } from '../../../src/pages/studio/web/picker/words.ts';
import { verbs as specs } from '../../../src/verbs/steps.ts';

const { verbs } = languageOf(specs);
const steps = listedSteps(verbs, Object.keys(GROUPS));
const verbsFor = (query: string): string[] => findStepsFor(query, steps).map(({ verb }) => verb);

/** Everyday queries, and the wanted step of each. */
const WANTED: readonly (readonly [query: string, verb: string])[] = [
  ['say', 'play'],
  ['speak', 'play'],
  ['greeting', 'play'],
  ['play music', 'play'],
  ['announce', 'play'],
  ['audio', 'play'],
  ['menu', 'menu'],
  ['press 1', 'menu'],
  ['ivr', 'menu'],
  ['options', 'menu'],
  ['ask a question', 'collect'],
  ['pin', 'collect'],
  ['enter digits', 'collect'],
  ['account number', 'collect'],
  ['input', 'collect'],
  ['voicemail', 'record'],
  ['leave a message', 'record'],
  ['mailbox', 'record'],
  ['ai', 'assistant'],
  ['chatbot', 'assistant'],
  ['gpt', 'assistant'],
  ['credit card', 'pay'],
  ['payment', 'pay'],
  ['wait', 'pause'],
  ['silence', 'pause'],
  ['dtmf', 'send_digits'],
  ['call', 'bridge'],
  ['dial', 'bridge'],
  ['forward', 'bridge'],
  ['ring a person', 'bridge'],
  ['connect', 'bridge'],
  ['queue', 'queue'],
  ['call centre', 'queue'],
  ['agents', 'queue'],
  ['transfer', 'transfer'],
  ['hold', 'hold'],
  ['conference', 'conference'],
  ['meeting', 'conference'],
  ['video', 'join_room'],
  ['answering machine', 'detect_machine'],
  ['if', 'branch'],
  ['condition', 'branch'],
  ['opening hours', 'schedule'],
  ['hours', 'schedule'],
  ['weekend', 'schedule'],
  ['holiday', 'schedule'],
  ['random', 'split'],
  ['a/b', 'split'],
  ['loop', 'repeat'],
  ['try again', 'repeat'],
  ['variable', 'set'],
  ['language', 'set'],
  ['function', 'subflow'],
  ['api', 'request'],
  ['http', 'request'],
  ['crm', 'request'],
  ['webhook', 'webhook'],
  ['sms', 'message'],
  ['whatsapp', 'message'],
  ['reminder', 'call'],
  ['record the call', 'recording'],
  ['transcript', 'transcribe'],
  ['unsubscribe', 'do_not_call'],
  ['hang up', 'hangup'],
  ['goodbye', 'hangup'],
  ['busy', 'reject'],
];

describe('the search for a step', () => {
  it.each(WANTED)('finds by %j in the first three: %s', (query, verb) => {
    expect(verbsFor(query).slice(0, 3)).toContain(verb);
  });

  it('has at least 60 everyday queries in its test', () => {
    expect(WANTED.length).toBeGreaterThanOrEqual(60);
  });

  it('finds nothing by words that no step has, and proposes the nearest', () => {
    expect(verbsFor('teleport')).toEqual([]);
    expect(meantStep('voicemial', steps)?.verb).toBe('record');
    expect(meantStep('qqqqqq', steps)).toBeUndefined();
  });

  it('finds by the beginnings of several words, in any order', () => {
    expect(verbsFor('hou op')[0]).toBe('schedule');
    expect(verbsFor('pin voicemail')).toEqual([]);
  });

  it('prefers the steps that the flow has, where all else is equal', () => {
    expect(verbsFor('loop').slice(0, 2)).toEqual(['repeat', 'for_each']);
    expect(findStepsFor('loop', steps, new Map([['for_each', 3]]))[0]!.verb).toBe('for_each');
  });

  it('lists all steps in the order of the groups', () => {
    expect(steps.slice(0, 3).map(({ verb }) => verb)).toEqual(['play', 'menu', 'collect']);
    expect(steps.at(-1)!.entry.group).toBe('end');
    expect(steps).toHaveLength(specs.length);
  });
});

describe('a step filled in by the query', () => {
  it.each([
    ['+33 1 44 55 66 77', 'bridge', ['+33144556677']],
    ['sip:bob@example.com', 'bridge', ['sip:bob@example.com']],
    ['https://shop.example/orders', 'request', ['https://shop.example/orders']],
  ])('offers %s as an answer of %s', (query, verb, answers) => {
    expect(itemsFromQuery(query, verbs)).toMatchObject([{ verb, answers }]);
  });

  it('offers quoted and long texts as words to say', () => {
    expect(itemsFromQuery('“Hello”', verbs)).toMatchObject([{ verb: 'play', name: 'Say “Hello”', says: 'Hello' }]);
    expect(itemsFromQuery('we are closed today', verbs)).toMatchObject([{ says: 'we are closed today' }]);
    expect(itemsFromQuery('menu', verbs)).toEqual([]);
  });
});

describe('the list of suggestions', () => {
  const graph = graphOf(
    {
      start: 'ask',
      steps: {
        ask: { menu: { prompt: 'p', choices: { one: { dtmf: '1' } } }, exits: { one: 'look', exhausted: 'bye' } },
        look: { request: { get: 'https://a.example' }, exits: { ok: 'bye', failed: 'bye' } },
        bye: { hangup: 'normal' },
      },
    },
    { verbs },
  );
  it('depends on the step before', () => {
    expect(suggestedVerbs(graph, undefined, verbs)).toEqual(['play', 'menu', 'schedule']);
    expect(suggestedVerbs(graph, { step: 'ask', outcome: 'one' }, verbs)).toEqual(['bridge', 'record', 'play']);
    expect(suggestedVerbs(graph, { step: 'look', outcome: 'ok' }, verbs)).toContain('branch');
    expect(suggestedVerbs(graph, { step: 'ask', outcome: 'exhausted' }, verbs)).toEqual(['request', 'menu', 'play']);
  });
});
