import { describe, expect, it } from 'vitest';
import {
  addAct,
  type CallerAction,
  duration,
  mocksOf,
  newCall,
  orderOf,
  type SimulatorCall,
  scriptOf,
  startAgain,
  takeBack,
  toggleBreakpoint,
  withUnanswered,
  wordsOfAct,
} from '../../../src/pages/studio/web/simulator/acts.ts';
import type { SimulationData } from '../../../src/pages/studio/web/simulator/simulation.ts';
import { begun, entered, journalOf, legEvent, played, speech } from '../journal/recorded.ts';
import { simulation } from './simulation.ts';

const callAfter = (now: Partial<SimulationData>, ...actions: CallerAction[]): SimulatorCall =>
  actions.reduce((call, action) => addAct(call, action, simulation(now)), newCall());
const scriptAfter = (now: Partial<SimulationData>, ...actions: CallerAction[]) =>
  scriptOf(callAfter(now, ...actions).acts);

describe('acts of the caller in a test', () => {
  /** The prompt was heard, and the call continued to 4 s after the last act ended at 1 s. */
  const quiet: Partial<SimulationData> = { clock_ms: 4000, acts: [{ began_ms: 0, ended_ms: 1000 }] };

  it.each<[string, Partial<SimulationData>, CallerAction, unknown[]]>([
    ['a key, when it is their turn', quiet, { do: 'press', digits: '1' }, [{ press: '1' }]],
    [
      'a key while a prompt plays',
      { waits_for: { prompt: true } },
      { do: 'press', digits: '1' },
      [{ press: { digits: '1', at: '0s' } }],
    ],
    [
      'a key in the middle of a prompt that was heard already',
      quiet,
      { do: 'press', digits: '1', atMs: 2500 },
      [{ wait: '1.5s' }, { press: { digits: '1', at: '0s' } }],
    ],
    ['words', quiet, { do: 'say', text: 'sales' }, [{ say: 'sales' }]],
    ['silence, as long as the step is patient', { waits_for: { until_ms: 9000 } }, { do: 'stay_silent' }, ['silence']],
    ['silence in a recording', { ...quiet, waits_for: { recording: true } }, { do: 'stay_silent' }, [{ wait: '8s' }]],
    ['a second, counted from now', quiet, { do: 'let_pass', ms: 1000 }, [{ wait: '4s' }]],
    ['hanging up', quiet, { do: 'hang_up' }, ['hang_up']],
    [
      'hanging up while a prompt plays',
      { waits_for: { prompt: true } },
      { do: 'hang_up' },
      [{ hang_up: { at: '0s' } }],
    ],
    [
      'what a party does, now',
      quiet,
      { do: 'party', name: '+1', acts: 'hang_up' },
      [{ wait: '3s' }, { party: { '+1': 'hang_up' } }],
    ],
    [
      'an event of the application',
      { clock_ms: 0 },
      { do: 'event', name: 'paid', data: { by: 'card' } },
      [{ command: { event: { name: 'paid', data: { by: 'card' } } } }],
    ],
  ])('writes an act: %s', (_, now, action, written) => expect(scriptAfter(now, action)).toEqual(written));

  it('includes a wait until the next turn, but not after a second that passed', () => {
    expect(orderOf(callAfter({}, { do: 'press', digits: '1' })).until).toBe('quiet');
    expect(orderOf(callAfter({}, { do: 'let_pass', ms: 1000 })).until).toBe('acts');
    expect(orderOf(newCall()).until).toBe('quiet');
    expect(orderOf(callAfter({}, { do: 'hang_up' })).until).toBe('end');
  });
});

describe('consecutive keys of the caller', () => {
  const typed = journalOf(begun, entered(0, 'ask', 'collect', 1), legEvent(10, { type: 'digit', digit: '1' }));
  const one: CallerAction = { do: 'press', digits: '1' };
  const two: CallerAction = { do: 'press', digits: '2' };
  const more = (...entries: Parameters<typeof journalOf>) => [...typed, ...journalOf(begun, ...entries).slice(1)];

  it('are pressed together, and undone one by one', () => {
    const call = addAct(callAfter({}, one), two, simulation({ journal: typed }));
    expect(scriptOf(call.acts)).toEqual([{ press: '12' }]);
    expect(scriptOf(takeBack(call).acts)).toEqual([{ press: '1' }]);
  });

  it.each([
    ['something was heard between them', more(played(20, 'p', 1, speech('Again')))],
    ['the call went on between them', more(entered(20, 'next', 'menu', 2))],
  ])('are two acts when %s', (_, journal) => {
    expect(scriptOf(addAct(callAfter({}, one), two, simulation({ journal })).acts)).toEqual([
      { press: '1' },
      { press: '2' },
    ]);
  });
});

describe('mocked external answers', () => {
  const answer = (nth: number, status: number): CallerAction => ({
    do: 'mock',
    mock: { of: 'request', step: 'look_up', nth, answer: { status } },
  });

  it('are set for each request, and the later one counts', () => {
    expect(mocksOf(callAfter({}, answer(1, 200), answer(2, 404), answer(1, 500)))).toEqual({
      look_up: [{ status: 500 }, { status: 404 }],
    });
  });

  it('allows an answer before the next request is made', () => {
    expect(mocksOf(callAfter({}, answer(2, 404)))).toEqual({ look_up: [{ status: 404 }, { status: 404 }] });
  });

  it('keeps the earlier ones, for all requests or for each', () => {
    const call = newCall({ mocks: { look_up: { status: 200 } } });
    expect(mocksOf(addAct(call, answer(2, 404), simulation()))).toEqual({
      look_up: [{ status: 200 }, { status: 404 }],
    });
  });

  it('are set for parties by the verb that calls them, and their number', () => {
    const busy: CallerAction = {
      do: 'mock',
      mock: { of: 'party', verb: 'bridge', number: '+1', nth: 1, answer: 'busy' },
    };
    expect(orderOf(callAfter({}, busy)).mocks).toEqual({ bridge: { '+1': ['busy'] } });
  });

  it('are omitted from a test of the call if not set', () => {
    const open = { request_id: 'r', method: 'GET', url: '', state: 'open' as const, at_ms: 0, answers: [] };
    const requests = [
      { ...open, step: 'look_up', nth: 1, mocked: true },
      { ...open, step: 'look_up', nth: 2, mocked: false },
    ];
    const call = withUnanswered(callAfter({}, answer(1, 404)), simulation({ requests }));
    expect(mocksOf(call)).toEqual({ look_up: [{ status: 404 }, { timeout: true }] });
  });

  it('are undone like other acts, and kept when the call restarts', () => {
    const call = callAfter({}, answer(1, 404), { do: 'press', digits: '1' });
    expect(startAgain(call)).toMatchObject({ acts: [], mocks: { look_up: [{ status: 404 }] } });
    expect(mocksOf(takeBack(takeBack(call)))).toEqual({});
  });
});

describe('breakpoints of a simulation', () => {
  const visited = simulation({
    journal: journalOf(begun, entered(0, 'menu', 'menu', 1), entered(5, 'bye', 'hangup', 2)),
  });

  it('stops before a step, and the call can continue past it', () => {
    const call = toggleBreakpoint(newCall(), 'shipped', simulation());
    expect(orderOf(call)).toMatchObject({ breakpoints: ['shipped'], passed_stops: 0 });
    expect(orderOf(addAct(call, { do: 'go_on' }, simulation()))).toMatchObject({ passed_stops: 1 });
  });

  it('does not stop the call at earlier steps', () => {
    expect(orderOf(toggleBreakpoint(newCall(), 'menu', visited))).toMatchObject({ passed_stops: 1 });
    const call = addAct(newCall(), { do: 'press', digits: '1' }, simulation());
    expect(orderOf(toggleBreakpoint(call, 'menu', visited))).toMatchObject({ passed_stops: 1 });
  });

  it('are removed when they are set again', () => {
    const call = toggleBreakpoint(toggleBreakpoint(newCall(), 'menu', visited), 'menu', visited);
    expect(orderOf(call)).not.toHaveProperty('breakpoints');
  });
});

it.each([
  [0, '0ms'],
  [250, '250ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [1234, '1234ms'],
  [-5, '0ms'],
])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

it('describes each act in words', () => {
  const actions: CallerAction[] = [
    { do: 'press', digits: '1' },
    { do: 'stay_silent' },
    { do: 'go_on' },
    { do: 'mock', mock: { of: 'request', step: 'look_up', nth: 1, answer: {} } },
    { do: 'hang_up' },
  ];
  expect(callAfter({ waits_for: { until_ms: 1 } }, ...actions).acts.map(wordsOfAct)).toEqual([
    'press 1',
    'silence',
    'continue from the breakpoint',
    'answer of look_up',
    'hang up',
  ]);
});
