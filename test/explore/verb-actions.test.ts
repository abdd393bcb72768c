/** Actions by verb: each outcome that a caller, a party or a service causes is reached by an action that names it. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { compileDocument } from '../../src/language/flow/compile.ts';
import { findOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { describedOutcomes, verbOutcomes } from '../../src/language/flow/verb-outcomes.ts';
import { BOUNDS } from '../../src/proof/explore/exploration.ts';
import { CallSearch, firstNode } from '../../src/proof/explore/search.ts';
import { firstSetup } from '../../src/proof/explore/setups.ts';
import { verbs } from '../../src/verbs/steps.ts';

interface Fixture {
  verb: string;
  args: JsonObject[string];
  /** Outcomes without a route, so that the step has the general one instead. */
  unrouted?: string[];
  /** True if an interrupted conversation comes first, whose party is on hold. */
  afterTalk?: true;
  vars?: JsonObject;
}

const PARTY = '+33611111111';
const ASKS = { prompt: { text: 'Please.' }, attempts: 1 };
const FIXTURES: Fixture[] = [
  { verb: 'menu', args: { ...ASKS, choices: { one: { dtmf: '1' }, two: { say: ['sales'] } } } },
  {
    verb: 'menu',
    args: { ...ASKS, each: '${ vars.teams }', say: { text: 'For ${ item } press ${ key }.' } },
    vars: { teams: { type: 'array', items: { type: 'string' }, default: ['sales', 'service'] } },
  },
  { verb: 'collect', args: { ...ASKS, digits: { length: 4 }, speech: {} }, unrouted: ['collected'] },
  { verb: 'collect', args: { ...ASKS, digits: { length: 4 }, speech: {} }, unrouted: ['digits', 'speech'] },
  { verb: 'pay', args: { amount: 1, currency: 'EUR', attempts: 1 } },
  { verb: 'pay', args: { tokenize: true, attempts: 1 }, unrouted: ['paid'] },
  { verb: 'record', args: {} },
  { verb: 'play', args: { prompt: { text: 'A long sentence, which the caller may interrupt.' }, barge_in: true } },
  { verb: 'wait_for', args: { events: ['paid', 'refused'], timeout: '1m', meanwhile: { text: 'Please hold.' } } },
  { verb: 'bridge', args: { to: PARTY, screen: { prompt: { text: 'A call. Press one.' } }, detect_machine: true } },
  { verb: 'transfer', args: PARTY },
  { verb: 'transfer', args: { to: '+33622222222', ring_timeout: '3s' }, afterTalk: true },
  { verb: 'resume', args: null, afterTalk: true },
  {
    verb: 'queue',
    args: { name: 'q', agents: ['user:carla'], timeout: '2m', leave_key: '*', callback: { key: '1', flow: 'fixture' } },
  },
  { verb: 'serve', args: { queue: 'q' } },
  { verb: 'conference', args: { name: 'c', leave_key: '*' } },
  { verb: 'join_room', args: { room_id: 'r', leave_key: '*' } },
  { verb: 'request', args: { get: 'https://shop.example/', returns: { type: 'object' } } },
  { verb: 'message', args: { to: PARTY, text: 'Hello.' } },
  { verb: 'call', args: { to: PARTY, flow: 'other' } },
  { verb: 'cancel_call', args: { key: 'k' } },
  { verb: 'webhook', args: { url: 'https://shop.example/', outcomes: ['yes', 'no'], may: ['flow'] } },
  {
    verb: 'assistant',
    args: { agent: 'bot', tools: { book: { description: 'Books a table.' } }, limits: { turns: 2, duration: '1m' } },
  },
];

/** Outcomes that no action names, with the reason. */
const WITHOUT_ACTION: Readonly<Record<string, string>> = {
  'conference.ended': 'another member ends the conference: the setup has it',
  'join_room.ended': 'another member ends the room: the setup has it',
  'queue.no_callback': 'the same key as callback, if the setup has no number to call back',
  'serve.served': 'a simulated call has no second caller who waits in the queue',
  'webhook.done': 'the answer would need the name of a flow that is deployed',
  'detect_machine.human': 'the setup decides what answers the call',
  'detect_machine.machine': 'the setup decides what answers the call',
  'detect_machine.beep': 'the setup decides what answers the call',
  'detect_machine.fax': 'the setup decides what answers the call',
  'detect_machine.unknown': 'the setup decides what answers the call',
};

/** Events that no action of a caller, a party or a service causes. */
const NOBODY = ['setup', 'time', 'flow', 'data'];

const outcomesOf = ({ verb, args, unrouted = [] }: Fixture) =>
  findOutcomes(verbOutcomes(verb)!, args).filter(({ name }) => !unrouted.includes(name));

const isCaused = (needs: readonly string[] = []): boolean => needs.some((need) => !NOBODY.includes(need));

function flowOf(fixture: Fixture) {
  const { verb, args, afterTalk, vars = {} } = fixture;
  const exits = Object.fromEntries(outcomesOf(fixture).map(({ name }) => [name, 'bye']));
  const call = { bridge: PARTY, exits: { completed: 'bye', failed: 'bye', error: 'bye' } };
  const { flow, diagnostics } = compileDocument(
    {
      ...{ flow: 'fixture', vars, start: afterTalk ? 'call' : 'tried' },
      ...(afterTalk && { events: { 'event.next': 'tried' } }),
      steps: { ...(afterTalk && { call }), tried: { [verb]: args, exits }, bye: { hangup: 'normal' } },
    } as JsonObject,
    'fixture',
    verbs,
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return flow!;
}

/** Returns the outcomes of calls in which an action named them, and the caller did not act after it. */
async function namedAndReached(fixture: Fixture): Promise<string[]> {
  const flow = flowOf(fixture);
  const search = new CallSearch(flow, [firstNode(firstSetup(flow))], {
    ...{ flows: () => flow, bounds: { ...BOUNDS, runs: 400, depth: 6 } },
  });
  const reached = new Set<string>();
  for await (const { node, played } of search.run()) {
    const acted = node.choices.findLast(({ kind }) => kind !== 'pass') ?? node.choices[0];
    const named = [acted, node.choices.at(-1)].flatMap((choice) => choice?.leadsTo ?? []);
    for (const entry of played.journal) {
      if (entry.kind === 'left' && entry.step === 'tried' && named.includes(entry.outcome)) reached.add(entry.outcome);
    }
  }
  return [...reached];
}

const fixturesOf = (verb: string): Fixture[] => FIXTURES.filter((each) => each.verb === verb);

describe('an action that names an outcome', () => {
  it.each([...new Set(FIXTURES.map(({ verb }) => verb))])('is played to it: %s', async (verb) => {
    const wanted = fixturesOf(verb)
      .flatMap(outcomesOf)
      .filter(({ name, entry }) => isCaused(entry.needs) && WITHOUT_ACTION[`${verb}.${name}`] === undefined);
    const reached = await Promise.all(fixturesOf(verb).map(namedAndReached));
    expect(reached.flat()).toEqual(expect.arrayContaining(wanted.map(({ name }) => name)));
  });

  it('exists for all outcomes that an action can cause', () => {
    const missing = [...verbSchemas.keys()].flatMap((verb) => {
      const tried = fixturesOf(verb).flatMap((each) => outcomesOf(each).map(({ entry }) => entry));
      return Object.entries(describedOutcomes(verb)).flatMap(([name, entry]) => {
        const isKnown = WITHOUT_ACTION[`${verb}.${name}`] !== undefined || tried.includes(entry);
        return isCaused(entry.needs) && !isKnown ? [`${verb}.${name}`] : [];
      });
    });
    expect(missing).toEqual([]);
  });
});
