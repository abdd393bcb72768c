import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/core/json.ts';
import type { FlowGraph } from '../../../src/language/flow/graph.ts';
import type { Mock } from '../../../src/pages/studio/web/simulator/simulation.ts';
import { actionFor, nextExit, nthOf } from '../../../src/pages/studio/web/simulator/way.ts';
import { graphIn, language, textOf } from '../graph/flows.ts';
import { simulation } from './simulation.ts';

const order = graphIn(textOf('flows/order-status.flow.yaml'));
const welcome = graphIn(textOf('flows/welcome-menu.flow.yaml'));

describe('path to a step', () => {
  it.each([
    [order, 'ask_order', 'shipped', 'collected'],
    [order, 'look_up', 'unknown', 'not_found'],
    [order, 'unknown', 'delivered', 'done'],
    [welcome, 'menu', 'extension', 'extension'],
  ])('begins with an exit of the current step', (graph, from, to, outcome) => {
    const way = nextExit(graph, from, to, language);
    expect(way?.exit.covers[0] ?? way?.exit.outcome).toBe(outcome);
  });

  it('does not exist from a step without exits, or to an unreachable step', () => {
    expect(nextExit(order, 'bye', 'shipped', language)).toBeUndefined();
    expect(nextExit(order, 'ask_order', 'nowhere', language)).toBeUndefined();
    expect(nextExit(order, 'nowhere', 'bye', language)).toBeUndefined();
  });
});

describe('unsuccessful outcome of a step', () => {
  const flow = (outcomes: Record<string, string>, step: JsonObject): FlowGraph =>
    graphIn(
      JSON.stringify({
        flow: 'order',
        start: 'first',
        steps: {
          first: { ...step, exits: outcomes },
          other: { play: 'Hello.', next: 'last' },
          last: { hangup: 'normal' },
        },
      }),
    );
  it.each<[outcome: string, success: string, step: JsonObject]>([
    ['declined', 'paid', { pay: { amount: '1', currency: 'EUR' } }],
    ['denied', 'left', { join_room: 'r' }],
    ['full', 'left', { conference: { name: 'c', max_members: 3 } }],
    ['refused', 'sent', { message: { to: '+33612345678', text: 'Hello.' } }],
    ['silence', 'recorded', { record: {} }],
    ['returned', 'transferred', { transfer: '+33612345678' }],
    ['failed.busy', 'completed', { bridge: '+33612345678' }],
    ['hangup', 'done', { play: 'Hello.' }],
  ])('is left to the success: %s', (outcome, success, step) => {
    const graph = flow({ [outcome]: 'other', [success]: 'other' }, step);
    expect(nextExit(graph, 'first', 'last', language)?.exit.outcome).toBe(success);
  });
});

describe('action that takes an exit', () => {
  const exit = { outcome: 'exhausted', target: 'x', own: true, covers: ['exhausted.no_input', 'exhausted.no_match'] };
  const silence = { label: 'silence', leads_to: ['exhausted.no_input'], acts: ['silence'] };
  const mock: Mock = { of: 'party', verb: 'bridge', number: '+1', nth: 1, answer: 'busy' };

  it('is the first one of the answer that can lead to it', () => {
    const press = { label: 'press 1', leads_to: ['one'], acts: [{ press: '1' }] };
    expect(actionFor(exit, simulation({ actions: [press, silence] }))).toEqual({ do: 'acts', written: ['silence'] });
    const busy = { label: '+1: is busy', leads_to: ['failed.busy'], mock };
    const failed = { outcome: 'failed', target: 'x', own: true, covers: ['failed.busy'] };
    expect(actionFor(failed, simulation({ actions: [press, busy] }))).toEqual({ do: 'mock', mock });
  });

  it('is unknown if the answer has none', () => {
    expect(actionFor(exit, simulation())).toBeUndefined();
    expect(actionFor({ ...exit, covers: [] }, simulation({ actions: [silence] }))).toBeUndefined();
  });
});

it('counts the calls of a number by a verb', () => {
  const party = (leg: string, name: string, verb: string) => ({
    leg,
    name,
    verb,
    state: 'ended',
    mocked: true,
    answers: [],
  });
  const parties = [party('a', '+1', 'bridge'), party('b', '+1', 'queue'), party('c', '+1', 'bridge')];
  expect(nthOf('c', { parties })).toBe(2);
  expect(nthOf('b', { parties })).toBe(1);
});
