/** Paths that no test knows: for each exit of the shipped flows, some actions of a caller lead there. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { findOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { verbOutcomes } from '../../src/language/flow/verb-outcomes.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import type { SearchTarget } from '../../src/proof/workbench/goal-rank.ts';
import { searchTest, type TestSearchOptions } from '../../src/proof/workbench/test-search.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { graphIn, textOf } from '../studio/graph/flows.ts';

const SHIPPED = ['business-hours', 'order-status', 'pin-entry', 'survey', 'welcome-menu'];
/** Steps that only a fault leads to, which no caller can cause. */
const ONLY_AFTER_FAULTS = ['apologise'];
const library = new FlowLibrary(verbs).load('flows');

function search(
  of: string | JsonObject,
  target: SearchTarget,
  bounds: TestSearchOptions['bounds'] = {},
  begins: readonly JsonObject[] = [],
) {
  const flow = library.find(of)!;
  return searchTest(flow, target, {
    ...{ flows: (name) => library.find(name), bounds: { wallMs: 60_000, ...bounds } },
    begins,
    scenarioOf: (form) => scenarioFrom({ ...form, test: 'searched', flow: flow.name }, 'search').scenario,
  });
}

describe('a way to each exit', () => {
  it.each(SHIPPED)('is found in %s', async (name) => {
    const missing: string[] = [];
    for (const { name: step, exits } of graphIn(textOf(`flows/${name}.flow.yaml`)).steps) {
      if (ONLY_AFTER_FAULTS.includes(step)) continue;
      for (const { outcome, covers, own } of exits) {
        if (!own || outcome === 'error') continue;
        const { found } = await search(name, { step, outcomes: [outcome, ...covers] });
        if (found === undefined) missing.push(`${step} ${outcome}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('continues a call of a test, with an act for each turn of a silent caller', async () => {
    const begin: JsonObject = { mocks: {}, script: [{ hear: 'ask_order' }] };
    const { found } = await search('order-status', { step: 'ask_order', outcomes: ['exhausted.no_input'] }, {}, [
      begin,
    ]);
    expect(found?.form).toMatchObject({ script: ['silence', 'silence', 'silence'] });
  });

  it('has answers from outside that the conditions of the flow look for', async () => {
    const { found } = await search('order-status', { step: 'by_state', outcomes: ['case.2'] });
    expect(found?.form).toMatchObject({
      script: [{ press: '123456' }],
      mocks: { look_up: [{ status: 200, body: { state: 'shipped' } }] },
    });
  });

  it('takes the digits that a condition compares with', async () => {
    const flow: JsonObject = {
      flow: 'door',
      start: 'ask',
      defaults: { exits: { error: '$end' } },
      steps: {
        ask: {
          collect: { prompt: { text: 'The code?' }, digits: { length: 4 } },
          exits: { collected: 'is_it', exhausted: '$end' },
        },
        is_it: { branch: [{ when: "steps.ask.digits = '4711'", next: 'open' }, { else: '$end' }] },
        open: { play: { text: 'Come in.' }, next: '$end' },
      },
    };
    expect((await search(flow, { step: 'open' })).found?.form['script']).toEqual([{ press: '4711' }]);
  });

  it('has other hours and another chance where the flow asks for them', async () => {
    const { found } = await search('business-hours', { step: 'hours', outcomes: ['closed'] });
    expect(found?.form).toMatchObject({ at: expect.stringContaining('T'), script: [] });
    const flow: JsonObject = {
      flow: 'chance',
      start: 'choose',
      defaults: { exits: { error: '$end' } },
      steps: {
        choose: { split: { arms: { often: 99, seldom: 1 } }, exits: { often: '$end', seldom: 'lucky' } },
        lucky: { play: { text: 'Lucky you.' }, next: '$end' },
      },
    };
    const { tried } = await search(flow, { step: 'lucky' });
    expect(tried).toBeGreaterThan(1);
  });
});

describe('a path by the action of another party', () => {
  const BRIDGE = { to: '+33611111111', screen: { prompt: { text: 'Press one.' } }, detect_machine: true };
  const QUEUE = { name: 'q', agents: ['user:carla'], callback: { key: '1', flow: 'tried' } };
  const ASSISTANT = { agent: 'bot', tools: { book: { description: 'Books a table.' } } };
  it.each([
    ['the key of a callback', 'queue', QUEUE, 'callback'],
    ['a tool call of an agent', 'assistant', ASSISTANT, 'book'],
    ['too many turns of an agent', 'assistant', ASSISTANT, 'limit.turns'],
    ['a machine that answers', 'bridge', BRIDGE, 'machine'],
    ['a party that does not accept', 'bridge', BRIDGE, 'failed.screened'],
  ])('is found through %s', async (_, verb, args, outcome) => {
    const names = findOutcomes(verbOutcomes(verb)!, args).map(({ name }) => [name, '$end']);
    const steps = { tried: { [verb]: args, exits: Object.fromEntries(names) } };
    const { found } = await search({ flow: 'tried', start: 'tried', steps }, { step: 'tried', outcomes: [outcome] });
    expect(found).toBeDefined();
  });
});

describe('the search', () => {
  it('stops after the configured number of tries', async () => {
    expect(await search('order-status', { step: 'apologise', outcomes: ['error'] }, { runs: 7 })).toEqual({
      tried: 7,
    });
  });

  it('finds the same way each time', async () => {
    const once = await search('survey', { step: 'judge', outcomes: ['else'] });
    expect(await search('survey', { step: 'judge', outcomes: ['else'] })).toEqual(once);
    expect(once.found).toBeDefined();
  });
});
