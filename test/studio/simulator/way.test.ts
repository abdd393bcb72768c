import { describe, expect, it } from 'vitest';
import type { FlowGraph, GraphStep } from '../../../src/flow/graph.ts';
import type { Doing } from '../../../src/studio/web/simulator/acts.ts';
import type { Simulation } from '../../../src/studio/web/simulator/simulation.ts';
import { doingFor, nextExit, nthOf } from '../../../src/studio/web/simulator/way.ts';
import { graphIn, textOf } from '../graph/flows.ts';
import { simulation } from './simulation.ts';

const order = graphIn(textOf('flows/order-status.flow.yaml'));
const welcome = graphIn(textOf('flows/welcome-menu.flow.yaml'));
const stepOf = (graph: FlowGraph, name: string): GraphStep => graph.steps.find((step) => step.name === name)!;

describe('path to a step', () => {
  it.each([
    [order, 'ask_order', 'shipped', 'collected'],
    [order, 'look_up', 'unknown', 'not_found'],
    [order, 'unknown', 'delivered', 'done'],
    [welcome, 'menu', 'extension', 'extension'],
  ])('begins with an exit of the current step', (graph, from, to, outcome) => {
    const way = nextExit(graph, from, to);
    expect(way?.exit.covers[0] ?? way?.exit.outcome).toBe(outcome);
  });

  it('does not exist from a step without exits, or to an unreachable step', () => {
    expect(nextExit(order, 'bye', 'shipped')).toBeUndefined();
    expect(nextExit(order, 'ask_order', 'nowhere')).toBeUndefined();
    expect(nextExit(order, 'nowhere', 'bye')).toBeUndefined();
  });
});

describe('act that takes an exit', () => {
  const doing = (graph: FlowGraph, step: string, outcome: string, now: Partial<Simulation> = {}): Doing | undefined => {
    const found = stepOf(graph, step);
    const exit = found.exits.find((each) => each.outcome === outcome || each.covers.includes(outcome))!;
    return doingFor(found, exit, simulation(now));
  };

  it('is the key of a choice', () => expect(doing(welcome, 'menu', 'how')).toEqual({ do: 'press', digits: '3' }));

  it('has as many keys as required', () => {
    expect(doing(order, 'ask_order', 'collected')).toEqual({ do: 'press', digits: '123456' });
    expect(doing(welcome, 'extension', 'collected')).toEqual({ do: 'press', digits: '12#' });
  });

  it('is silence for an exit without an answer', () => {
    expect(doing(order, 'ask_order', 'exhausted')).toEqual({ do: 'stay_silent' });
  });

  it.each([
    ['ok', { status: 200, body: {} }],
    ['not_found', { status: 404, body: {} }],
    ['failed.timeout', { timeout: true }],
  ])('is the answer to the request, for %s', (outcome, says) => {
    const request = { request_id: 'r', step: 'look_up', nth: 2, method: 'GET', url: '', mocked: false, at_ms: 0 };
    const found = stepOf(order, 'look_up');
    const exit = { outcome, target: 'x', own: true, covers: [outcome] };
    expect(doingFor(found, exit, simulation({ requests: [{ ...request, state: 'open' }] }))).toEqual({
      do: 'mock',
      mock: { of: 'request', step: 'look_up', nth: 2, says },
    });
  });

  it('is unknown when no step waits', () => expect(doing(order, 'unknown', 'done')).toBeUndefined());
});

it('counts the calls of a number by a verb', () => {
  const party = (leg: string, name: string, verb: string) => ({ leg, name, verb, state: 'ended', mocked: true });
  const parties = [party('a', '+1', 'bridge'), party('b', '+1', 'queue'), party('c', '+1', 'bridge')];
  expect(nthOf('c', { parties })).toBe(2);
  expect(nthOf('b', { parties })).toBe(1);
});
