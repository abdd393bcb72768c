/** A simulated call up to the end of its acts: prompts, pending input, breakpoints, mocks, bounds. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { findOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { verbOutcomes } from '../../src/language/flow/verb-outcomes.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { type SimulationOptions, simulate } from '../../src/proof/workbench/simulate.ts';
import type { Simulation } from '../../src/proof/workbench/simulation-view.ts';
import { verbs } from '../../src/verbs/steps.ts';

const library = new FlowLibrary(verbs).load('flows').loadBuiltIn();

type How = Partial<Omit<SimulationOptions, 'flows'>> & { mocks?: JsonObject; seed?: number };

function play(flow: string | JsonObject, script: Json[] = [], { mocks = {}, seed, ...options }: How = {}) {
  const compiled = flowOf(flow);
  const form: JsonObject = {
    test: 'played',
    flow: compiled.name,
    script,
    mocks,
    ...(seed === undefined ? {} : { seed }),
  };
  const { scenario, diagnostics } = scenarioFrom(form, 'simulation');
  expect(diagnostics).toEqual([]);
  return simulate(scenario!, compiled, { flows: (name) => library.find(name), ...options });
}

function flowOf(flow: string | JsonObject): CompiledFlow {
  if (typeof flow === 'string') return library.get(flow)!;
  const { flow: made, diagnostics } = library.compile(flow);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return made!;
}

const names = ({ heard }: Simulation): Json[] => heard.map(({ name, text }) => name ?? text!);
const path = ({ journal }: Simulation): string[] =>
  journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : []));

describe('a call by keys', () => {
  test('begins with its first prompt, and stops where its acts end', async () => {
    const call = await play('welcome-menu');
    expect(call).toMatchObject({
      clock_ms: 0,
      state: 'connected',
      step: 'welcome',
      waits_for: { prompt: true },
      acts: [],
    });
    expect(call.heard).toMatchObject(
      [{ name: 'welcome', text: /^Welcome to Callweave/, at_ms: 0, playing: true }].map((one) => ({
        ...one,
        text: expect.stringMatching(one.text),
      })),
    );
  });

  test('continues until the caller’s turn, and reports the expected keys and the time limit', async () => {
    const call = await play('welcome-menu', [], { until: 'quiet' });
    expect(names(call)).toEqual(['welcome', 'choices']);
    expect(call.waits_for).toEqual({ keys: '1230', until_ms: call.clock_ms + 6000 });
    expect(call.clock_ms).toBe(call.heard.at(-1)!['until_ms']);
  });

  test('takes keys when it is the caller’s turn, one menu after the other', async () => {
    const call = await play('welcome-menu', [{ press: '1' }, { press: '2' }, { press: '4711#' }, { press: '0' }], {
      until: 'end',
    });
    expect(path(call)).toEqual('welcome menu hours menu extension read_back menu goodbye bye'.split(' '));
    expect(call).toMatchObject({ state: 'ended', ended: { reason: 'completed', cause: { code: 16 } } });
    expect(call.waits_for).toBeUndefined();
    expect(call.acts).toHaveLength(4);
  });

  test('takes keys that are pressed one by one as those that are pressed together', async () => {
    const one = await play('welcome-menu', [{ press: '2' }, ...[...'4711#'].map((press) => ({ press }))], {
      until: 'quiet',
    });
    const together = await play('welcome-menu', [{ press: '2' }, { press: '4711#' }], { until: 'quiet' });
    expect(path(one)).toEqual(path(together));
    expect(path(one)).toContain('read_back');
    const begun = await play('welcome-menu', [{ press: '2' }, { press: '4' }, { press: '7' }], { until: 'quiet' });
    expect(begun.clock_ms).toBeLessThan(begun.waits_for!['until_ms'] as number);
  });

  test('takes a key into the prompt where it says `at`', async () => {
    const call = await play('welcome-menu', [{ wait: '5s' }, { press: { digits: '1', at: '0s' } }]);
    expect(call).toMatchObject({ clock_ms: 5100, step: 'hours' });
    expect(call.heard).toMatchObject([{ name: 'welcome' }, { name: 'choices', until_ms: 5000 }, { name: 'hours' }]);
  });

  test('lets a step of time pass, and silence up to the timeout', async () => {
    const waited = await play('welcome-menu', [{ wait: '1s' }]);
    expect(waited.clock_ms).toBe(1000);
    const silent = await play('welcome-menu', ['silence'], { until: 'quiet' });
    expect(names(silent)).toEqual(['welcome', 'choices', 'choices']);
  });

  test('is hung up when it is the caller’s turn', async () => {
    const call = await play('welcome-menu', ['hang_up'], { until: 'end' });
    expect(names(call)).toEqual(['welcome', 'choices']);
    expect(call.ended).toMatchObject({ reason: 'hangup' });
  });

  test('continues with the same acts on a changed flow', async () => {
    const flow = (keys: string) => ({
      flow: 'changed',
      start: 'ask',
      steps: {
        ask: {
          menu: { prompt: { text: 'Which one?' }, choices: { a: { dtmf: '1' }, b: { dtmf: keys } } },
          exits: { a: 'one', b: 'two', exhausted: '$end', error: '$end' },
        },
        one: { play: 'The first one.', exits: { error: '$end' }, next: '$end' },
        two: { play: 'The second one.', exits: { error: '$end' }, next: '$end' },
      },
    });
    expect(names(await play(flow('2'), [{ press: '1' }], { until: 'end' }))).toEqual(['Which one?', 'The first one.']);
    const before = flow('2');
    before.steps.one.play = 'Another word.';
    expect(names(await play(before, [{ press: '1' }], { until: 'end' }))).toEqual(['Which one?', 'Another word.']);
  });

  test('gives the same journal byte for byte', async () => {
    const [one, other] = [
      await play('survey', ['silence'], { seed: 5 }),
      await play('survey', ['silence'], { seed: 5 }),
    ];
    expect(JSON.stringify(one.journal)).toBe(JSON.stringify(other.journal));
    expect(one.journal.length).toBeGreaterThan(5);
  });

  test('is the beginning of the call with one act more', async () => {
    const acts = [{ press: '1' }, { press: '2' }, { press: '4711#' }];
    const short = await play('welcome-menu', acts.slice(0, 2));
    const long = await play('welcome-menu', acts);
    expect(JSON.stringify(long.journal)).toContain(JSON.stringify(short.journal).slice(0, -1));
  });
});

describe('a breakpoint', () => {
  test('stops before the step is entered, and is passed by the same acts', async () => {
    const script = [{ press: '1' }];
    const stopped = await play('welcome-menu', script, { breakpoints: ['hours'], until: 'quiet' });
    expect(stopped.stopped_at).toMatchObject({ reason: 'breakpoint', step: 'hours' });
    expect(path(stopped)).toEqual(['welcome', 'menu']);
    expect(names(stopped)).toEqual(['welcome', 'choices']);
    expect(stopped.waits_for).toBeUndefined();
    const on = await play('welcome-menu', script, { breakpoints: ['hours'], until: 'quiet', passedStops: 1 });
    expect(on.stopped_at).toBeUndefined();
    expect(path(on)).toEqual(['welcome', 'menu', 'hours', 'menu']);
  });

  test('stops at its next visit too', async () => {
    const at = (passedStops: number) =>
      play('welcome-menu', [{ press: '1' }], { breakpoints: ['menu'], until: 'quiet', passedStops });
    expect((await at(0)).clock_ms).toBeLessThan((await at(1)).clock_ms);
    expect((await at(1)).stopped_at).toMatchObject({ step: 'menu' });
    expect((await at(2)).stopped_at).toBeUndefined();
  });
});

describe('a request', () => {
  test('stays open without a mock, and the call waits for a decision', async () => {
    const call = await play('order-status', [{ press: '111111' }], { until: 'quiet' });
    expect(call).toMatchObject({ step: 'look_up', vars: { order: '111111' } });
    expect(call.requests).toMatchObject([{ step: 'look_up', nth: 1, method: 'GET', state: 'open', mocked: false }]);
  });

  test('is answered where it happens: the next time too', async () => {
    const script = [{ press: '111111' }];
    const once = await play('order-status', script, { until: 'quiet', mocks: { look_up: [{ status: 404 }] } });
    expect(once.requests).toMatchObject([{ state: 'answered', mocked: true }]);
    expect(once.step).toBe('ask_order');
    const again = await play('order-status', [...script, { press: '222222' }], {
      until: 'quiet',
      mocks: { look_up: [{ status: 404 }] },
    });
    expect(again.requests).toMatchObject([
      { nth: 1, mocked: true },
      { nth: 2, mocked: false, state: 'open' },
    ]);
  });

  test('fails with timeout on its own where time passes', async () => {
    const call = await play('order-status', [{ press: '111111' }, { wait: '1m' }]);
    expect(path(call)).toContain('look_up');
    expect(call.requests[0]).toMatchObject({ state: 'answered', mocked: false });
  });
});

describe('a party', () => {
  const flow = {
    flow: 'desk',
    start: 'ring',
    steps: {
      ring: {
        bridge: { to: '+33555000001', ring_timeout: '20s' },
        exits: { completed: '$end', failed: 'sorry', error: '$end' },
      },
      sorry: { play: 'Nobody is here.', exits: { error: '$end' }, next: '$end' },
    },
  };

  test('rings without a mock, and the call waits for a decision', async () => {
    const call = await play(flow, [], { until: 'quiet' });
    expect(call.parties).toMatchObject([
      { name: '+33555000001', verb: 'bridge', state: 'ringing', mocked: false, rings_until_ms: 20_000 },
    ]);
  });

  test('does what its mock says', async () => {
    const busy = await play(flow, [], { until: 'end', mocks: { bridge: { '+33555000001': 'busy' } } });
    expect(names(busy)).toContain('Nobody is here.');
    const talks = await play(flow, [], {
      until: 'quiet',
      mocks: { bridge: { '+33555000001': { answer_after: '3s' } } },
    });
    expect(talks.parties).toMatchObject([{ state: 'connected', mocked: true }]);
  });
});

describe('an act', () => {
  test('is named if it is impossible, and the call stays where it is', async () => {
    const call = await play('welcome-menu', [{ press: '0' }, { press: '1' }], { until: 'quiet' });
    expect(call.stopped_at).toMatchObject({ reason: 'act', act: 1, actual: 'the call was over' });
  });

  test('is named if it waits for an event that never happens', async () => {
    const flow = {
      flow: 'waits',
      start: 'wait',
      steps: { wait: { wait_for: { events: ['go'] }, exits: { go: '$end', error: '$end' } } },
    };
    const call = await play(flow, [{ hear: 'nothing' }]);
    expect(call.stopped_at).toMatchObject({ act: 0 });
  });
});

describe('a call that does not end', () => {
  const flow = {
    flow: 'round',
    start: 'say',
    steps: { say: { play: 'Once again.', max_visits: 100_000, exits: { error: '$end', limit: '$end' }, next: 'say' } },
  };

  test('is bounded in virtual time, entries and wall time', async () => {
    const stopped = async (limits: SimulationOptions['limits']) =>
      (await play(flow, [], { until: 'end', limits: limits! })).stopped_at;
    expect(await stopped({ virtualMs: 5_000 })).toEqual({ reason: 'limit', limit: 'virtual_time' });
    expect(await stopped({ entries: 50 })).toEqual({ reason: 'limit', limit: 'entries' });
    expect(await stopped({ wallMs: -1 })).toEqual({ reason: 'limit', limit: 'wall_time' });
  });
});

describe('a listed action', () => {
  const PARTY = '+33611111111';
  test.each<[verb: string, args: Json, outcome: string]>([
    ['menu', { prompt: { text: 'Please.' }, attempts: 2, choices: { one: { dtmf: '1' } } }, 'one'],
    ['menu', { prompt: { text: 'Please.' }, attempts: 2, choices: { one: { dtmf: '1' } } }, 'exhausted.no_input'],
    ['collect', { prompt: { text: 'Please.' }, digits: { min: 2, max: 5 } }, 'collected'],
    ['record', {}, 'recorded'],
    ['record', {}, 'silence'],
    ['request', { get: 'https://shop.example/' }, 'not_found'],
    ['pay', { amount: 1, currency: 'EUR' }, 'declined'],
    ['bridge', PARTY, 'completed'],
    ['bridge', PARTY, 'failed.declined'],
    ['bridge', { to: PARTY, detect_machine: true }, 'machine'],
    ['queue', { name: 'q', agents: ['user:carla'], callback: { key: '1', flow: 'tried' } }, 'callback'],
    ['assistant', { agent: 'bot', tools: { book: { description: 'Books a table.' } } }, 'book'],
    ['assistant', { agent: 'bot', tools: { book: { description: 'Books a table.' } } }, 'limit.silence'],
    ['wait_for', { events: ['paid'], timeout: '1m' }, 'paid'],
  ])('leads %s %o to %s, by the first action for it', async (verb, args, outcome) => {
    const names = findOutcomes(verbOutcomes(verb)!, args).map(({ name }) => [name, '$end']);
    const flow = {
      flow: 'tried',
      start: 'tried',
      steps: { tried: { [verb]: args, exits: Object.fromEntries(names) } },
    };
    const script: Json[] = [];
    let mocks: JsonObject = {};
    let call = await play(flow, script, { until: 'quiet' });
    while (call.state !== 'ended') {
      const action = call.actions?.find(({ leads_to: outcomes }) => outcomes?.includes(outcome));
      if (action === undefined) break;
      script.push(...(action.acts ?? []));
      if (action.mock) mocks = withMock(mocks, action.mock);
      call = await play(flow, script, { until: 'quiet', mocks });
    }
    expect(call.journal).toContainEqual(expect.objectContaining({ kind: 'left', step: 'tried', outcome }));
    expect(call.actions).toBeUndefined();
  });

  const withMock = (mocks: JsonObject, { of, step, verb, number, answer }: JsonObject): JsonObject =>
    of === 'request'
      ? { ...mocks, [String(step)]: answer! }
      : { ...mocks, [String(verb)]: { [String(number)]: [answer!] } };
});

describe('a listed answer', () => {
  const twice = {
    flow: 'twice',
    start: 'first',
    defaults: { exits: { error: '$end', failed: '$end', not_found: 'second', timeout: '$end' } },
    steps: {
      first: { request: { get: 'https://shop.example/' }, next: 'second' },
      second: { bridge: '+33611111111', exits: { completed: '$end', failed: '$end' } },
    },
  };
  const labelsOf = (asked: readonly JsonObject[]) =>
    asked.map(({ answers }) => (answers as JsonObject[]).map(({ label }) => label));

  test('stays at its request and its party, with the mock that gives it', async () => {
    const open = await play(twice, [], { until: 'quiet' });
    expect(labelsOf(open.requests)).toEqual([expect.arrayContaining(['404', '500', 'no connection'])]);
    const { answers } = open.requests[0]!;
    const mocks = { first: [answers.find(({ label }) => label === '404')!.answer] };
    const ringing = await play(twice, [], { until: 'quiet', mocks });
    expect(ringing.requests[0]!.answers).toEqual(answers);
    expect(labelsOf(ringing.parties)).toEqual([expect.arrayContaining(['answers', 'is busy', 'declines'])]);
    const busy = ringing.parties[0]!.answers.find(({ label }) => label === 'is busy')!.answer;
    const ended = await play(twice, [], {
      until: 'quiet',
      mocks: { ...mocks, bridge: { '+33611111111': [busy] } },
    });
    expect([ended.state, ended.requests[0]!.answers, ended.parties[0]!.answers]).toEqual([
      'ended',
      answers,
      ringing.parties[0]!.answers,
    ]);
  });

  test('is among the actions while its request waits, named after the step', async () => {
    const { actions = [], requests } = await play(twice, [], { until: 'quiet' });
    const mocks = actions.flatMap(({ label, mock }) => (mock ? [{ label, answer: mock['answer'] }] : []));
    expect(mocks).toEqual(requests[0]!.answers.map(({ label, answer }) => ({ label: `first: ${label}`, answer })));
  });
});
