/** Facts of verbs that follow from the keywords of their schemas. */
import { describe, expect, it } from 'vitest';
import { summarise } from '../../src/language/flow/flow-summary.ts';
import { filePlaces, flowPlaces, placesNaming } from '../../src/language/flow/named-places.ts';
import { factsOf, playsPrompts, speaks, takesTime, verbsWith } from '../../src/language/flow/verb-facts.ts';

const verbs = verbsWith(() => true).sort();
const PROMPTS = ['assistant', 'collect', 'menu', 'pay', 'play', 'record', 'send_digits'];
const PARTIES = ['bridge', 'conference', 'join_room', 'queue', 'resume', 'serve', 'transfer'];

describe('a verb', () => {
  it('plays prompts if the caller hears it and it connects no other party', () => {
    expect(verbs.filter(playsPrompts)).toEqual(PROMPTS);
  });

  it('speaks to the caller if the caller hears it and may act in it', () => {
    const spoken = [...PROMPTS, ...PARTIES].filter((verb) => verb !== 'send_digits').sort();
    expect(verbs.filter(speaks)).toEqual(spoken);
  });

  it('takes time if it listens or waits for another flow', () => {
    const waiting = ['detect_machine', 'for_each', 'parallel', 'pause', 'subflow', 'wait_for', 'webhook'];
    expect(verbs.filter(takesTime)).toEqual([...PROMPTS, ...PARTIES, ...waiting].sort());
  });

  it('never passes without a decision if it asks the caller or another system', () => {
    const passing = verbs.filter((verb) => factsOf(verb).passes);
    expect(passing).toContain('message');
    for (const verb of ['menu', 'collect', 'record', 'request', 'webhook', 'branch', 'pay', 'assistant'])
      expect(passing).not.toContain(verb);
  });
});

describe('an AI agent in a flow', () => {
  const flow = (first: object) => ({ flow: 'a', start: 'first', steps: { first, over: { continue: 'b' } } });

  it('speaks to the caller and waits between two flows', () => {
    const agent = summarise(flow({ assistant: { agent: 'host' }, next: 'over' }) as never);
    expect(agent).toMatchObject({ speaks: true, continues: [{ flow: 'b', waits: true }] });
    const logged = summarise(flow({ log: 'x', next: 'over' }) as never);
    expect(logged).toMatchObject({ speaks: false, continues: [{ flow: 'b', waits: false }] });
  });
});

describe('named places', () => {
  const places = {
    '/a': 'step',
    '/b': { flow: 'calls' },
    '/c': 'prompt',
    '/d/#/e': 'step',
    '/f': { flow: 'begins' },
    '/g': { file: 'text' },
  } as const;

  it('are sorted by the kind of part that they name', () => {
    expect(placesNaming(places, 'step')).toEqual(['/a', '/d/#/e']);
    expect(placesNaming(places, 'room')).toEqual([]);
    expect(flowPlaces(places)).toEqual([
      ['/b', 'calls'],
      ['/f', 'begins'],
    ]);
    expect(filePlaces(places)).toEqual([['/g', 'text']]);
    expect(filePlaces(undefined)).toEqual([]);
  });
});
