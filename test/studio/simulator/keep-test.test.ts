import { expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  addAct,
  type CallerAction,
  newCall,
  type SimulatorCall,
} from '../../../src/pages/studio/web/simulator/acts.ts';
import { fileNameOf, textOfTest } from '../../../src/pages/studio/web/simulator/keep-test.ts';
import type { SimulationData } from '../../../src/pages/studio/web/simulator/simulation.ts';
import { begun, entered, journalOf } from '../journal/recorded.ts';
import { simulation } from './simulation.ts';

const call = (...actions: CallerAction[]): SimulatorCall =>
  actions.reduce((all, action) => addAct(all, action, simulation({ waits_for: { until_ms: 1 } })), newCall());
const heard = (play_id: string, at_ms: number, text: string, name?: string) => ({
  play_id,
  at_ms,
  until_ms: at_ms + 1000,
  text,
  kind: 'speech',
  ...(name !== undefined && { name }),
});
const textOf = (given: SimulatorCall, now: Partial<SimulationData>): string =>
  textOfTest({ title: 'a test', flow: 'hello' }, given, simulation(now));

it('contains the prompt before each act, and the path of the call', () => {
  const text = textOf(call({ do: 'press', digits: '1' }, { do: 'stay_silent' }, { do: 'hang_up' }), {
    heard: [
      heard('a', 0, 'Welcome', 'welcome'),
      heard('b', 1000, 'Please enter your order number of six digits, then hash'),
      heard('c', 3000, 'Pardon: again?'),
    ],
    acts: [
      { began_ms: 0, acted_ms: 2000, heard: 2, ended_ms: 2100 },
      { began_ms: 2100, acted_ms: 2100, heard: 2, ended_ms: 3000 },
      { began_ms: 3000, acted_ms: 4000, heard: 3, ended_ms: 4000 },
    ],
    journal: journalOf(
      begun,
      entered(0, 'welcome', 'play', 1),
      entered(1, 'inner', 'play', 2, { depth: 1, flow: 'other' }),
      entered(1000, 'ask', 'collect', 3),
      { at: 4000, kind: 'ended', reason: 'hangup' },
    ),
  });
  expect(text).toBe(`test: a test
flow: hello
script:
  - hear: welcome
  - hear: Please enter your order number of six digits
  - press: "1"
  - silence
  - hear: "Pardon: again"
  - hang_up: { at: 1s }
expect:
  path: [welcome, ask]
  ended: hangup
`);
  expect(parse(text)).toMatchObject({ script: [{ hear: 'welcome' }, {}, { press: '1' }, 'silence', {}, {}] });
});

it('places a key before the prompt that it causes, although both have the same time', () => {
  const text = textOf(call({ do: 'press', digits: '1' }), {
    heard: [heard('a', 0, 'Press 1 for bread'), heard('b', 2000, 'Bread is ready')],
    acts: [{ began_ms: 0, acted_ms: 2000, heard: 1, ended_ms: 2100 }],
  });
  expect(parse(text).script).toEqual([{ hear: 'Press 1 for bread' }, { press: '1' }, { hear: 'Bread is ready' }]);
});

it('keeps the delay of a key after the beginning of its prompt', () => {
  const text = textOf(call({ do: 'press', digits: '1', atMs: 1700 }), {
    heard: [heard('a', 1000, 'A long menu')],
    acts: [
      { began_ms: 0, ended_ms: 1700 },
      { began_ms: 1700, acted_ms: 1700, heard: 1, ended_ms: 1800 },
    ],
  });
  expect(parse(text).script).toEqual([
    { wait: '1.7s' },
    { hear: 'A long menu' },
    { press: { digits: '1', at: '700ms' } },
  ]);
});

it('contains the external answers, and unusual numbers only', () => {
  const answered = call({
    do: 'mock',
    mock: { of: 'request', step: 'look_up', nth: 1, answer: { status: 404, body: { a: ['b: c', 'yes', 1] } } },
  });
  expect(parse(textOf({ ...answered, to: '1000' }, {}))).toMatchObject({
    call: { from: '+33612345678', to: '1000' },
    mocks: { look_up: [{ status: 404, body: { a: ['b: c', 'yes', 1] } }] },
  });
  expect(parse(textOf(answered, {}))).not.toHaveProperty('call');
});

it('expects a repeated prompt only once', () => {
  const music = [heard('a', 0, 'music'), heard('a', 900, 'music'), heard('a', 1800, 'music')];
  expect(parse(textOf(newCall(), { heard: music })).script).toEqual([{ hear: 'music' }]);
});

it("contains the author's words for prompts, and the time of the call", () => {
  const given = { ...newCall(), given: { at: '2026-01-07T10:00:00Z', call: { direction: 'outbound' } } };
  const now = simulation({ heard: [heard('a', 0, 'Welcome'), heard('b', 900, 'Bye')] });
  expect(
    parse(textOfTest({ title: 'a test', flow: 'hello', words: new Map([['b', 'Good bye']]) }, given, now)),
  ).toMatchObject({
    at: '2026-01-07T10:00:00Z',
    call: { direction: 'outbound' },
    script: [{ hear: 'Welcome' }, { hear: 'Good bye' }],
  });
});

it.each([
  ['A caller who presses 2!', 'order.a-caller-who-presses-2.test.yaml'],
  ['…', 'order.call.test.yaml'],
])('saves the title %s as %s', (title, file) => expect(fileNameOf('order', title)).toBe(file));
