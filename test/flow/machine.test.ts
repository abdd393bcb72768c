import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, transition } from 'xstate';
import { END } from '../../src/language/flow/compiled-flow.ts';
import { compileMachine, type RouteTable } from '../../src/language/flow/machine.ts';
import { routeOf } from '../../src/language/flow/outcome.ts';

/** Names that xstate would read its own meaning into, and ordinary ones. */
const stepName = fc.oneof(
  fc.constantFrom('*', '#', '.', 'a.b', 'a#b', '__proto__x', 'constructor', 'start', 'idle', 'x_002e', 'x.', 'Ж', ''),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/),
);
const word = fc.constantFrom('done', 'error', 'failed', '*', '4xx', 'no_input', 'a', 'b', 'toString');
const outcome = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));

const table: fc.Arbitrary<RouteTable> = fc.uniqueArray(stepName, { minLength: 1, maxLength: 8 }).chain((names) => {
  const target = fc.constantFrom(...names, END);
  const exits = fc.dictionary(outcome, target, { maxKeys: 6, noNullPrototype: true }).map((exits) => ({ exits }));
  return fc.record({
    start: fc.constantFrom(...names),
    steps: fc.tuple(...names.map(() => exits)).map((all) => new Map(names.map((name, index) => [name, all[index]!]))),
    events: fc.dictionary(fc.constantFrom('dtmf.0', 'hangup', 'event.x'), target, { noNullPrototype: true }),
  });
});

/** The same search, written plainly. */
function reachable({ start, steps, events }: RouteTable): Set<string> {
  const found = new Set<string>([start]);
  for (const name of found) {
    const exits = name === END ? undefined : steps.get(name)?.exits;
    if (exits !== undefined)
      for (const target of [...Object.values(exits), ...Object.values(events)]) found.add(target);
  }
  return found;
}

describe('the machine', () => {
  it('routes by the longest prefix, as the exits say', () => {
    fc.assert(
      fc.property(table, fc.array(outcome, { maxLength: 10 }), (routes, outcomes) => {
        const machine = compileMachine(routes);
        for (const [name, { exits }] of routes.steps) {
          for (const each of [...outcomes, ...Object.keys(exits)]) {
            expect(machine.next(name, each)).toBe(routeOf(each, exits)?.target);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('returns the same, asked again or in another order', () => {
    fc.assert(
      fc.property(table, (routes) => {
        const asked = [...routes.steps].flatMap(([name, { exits }]) =>
          Object.keys(exits).map((key) => [name, key] as const),
        );
        const [one, other] = [compileMachine(routes), compileMachine(routes)];
        const first = asked.map(([at, by]) => one.next(at, by));
        expect(
          asked
            .toReversed()
            .map(([at, by]) => other.next(at, by))
            .reverse(),
        ).toEqual(first);
        expect(asked.map(([at, by]) => one.next(at, by))).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });

  it('begins at the start, and goes nowhere from the end or from nowhere', () => {
    const machine = compileMachine({ start: 'a', steps: new Map([['a', { exits: { done: END } }]]), events: {} });
    expect(machine.next('$idle', 'start')).toBe('a');
    expect(machine.next('$idle', 'hangup')).toBeUndefined();
    expect(machine.next('a', 'done')).toBe(END);
    expect(machine.next('a', 'hangup')).toBe(END);
    expect(machine.next('a', 'other')).toBeUndefined();
    expect(machine.next(END, 'done')).toBeUndefined();
    expect(machine.next('b', 'done')).toBeUndefined();
  });

  it('allows a step that routes to itself', () => {
    const machine = compileMachine({ start: 'a', steps: new Map([['a', { exits: { done: 'a' } }]]), events: {} });
    expect(machine.next('a', 'done')).toBe('a');
  });
});

describe('the graph', () => {
  it('finds what a plain search finds, and paths that lead there', () => {
    fc.assert(
      fc.property(table, (routes) => {
        const expected = reachable(routes);
        const machine = compileMachine(routes);
        expect(machine.reachable()).toEqual(expected);
        expect(new Set(machine.paths().keys())).toEqual(expected);
        for (const [to, steps] of machine.paths()) {
          let at = '$idle';
          for (const { step, outcome: by } of steps) {
            expect(step).toBe(at);
            at = machine.next(at, by)!;
          }
          expect(at).toBe(to);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('gives the shortest path, by outcomes', () => {
    const steps = new Map<string, { exits: Record<string, string> }>([
      ['a', { exits: { x: 'b', y: 'c' } }],
      ['b', { exits: { z: 'd' } }],
      ['c', { exits: { z: 'b' } }],
      ['d', { exits: { z: END } }],
    ]);
    expect(compileMachine({ start: 'a', steps, events: {} }).paths().get('d')).toEqual([
      { step: '$idle', outcome: 'start' },
      { step: 'a', outcome: 'x' },
      { step: 'b', outcome: 'z' },
    ]);
  });

  it('is described as a machine that xstate takes', () => {
    const steps = new Map<string, { exits: Record<string, string> }>([
      ['ask', { exits: { collected: 'bye', 'exhausted.no_input': 'ask' } }],
      ['bye', { exits: { done: END } }],
    ]);
    const definition = compileMachine({ start: 'ask', steps, events: { 'dtmf.0': 'bye' } }).definition();
    expect(definition).toEqual({
      initial: '$idle',
      states: {
        $idle: { on: { start: 'ask' } },
        $end: { on: {} },
        ask: { on: { '$event.dtmf.0': 'bye', collected: 'bye', 'exhausted.no_input': 'ask' } },
        bye: { on: { '$event.dtmf.0': 'bye', done: END } },
      },
    });
    const machine = createMachine(definition);
    const [asking] = transition(machine, machine.resolveState({ value: '$idle', context: {} }), { type: 'start' });
    expect(transition(machine, asking, { type: 'exhausted.no_input' })[0].value).toBe('ask');
    expect(transition(machine, asking, { type: 'collected' })[0].value).toBe('bye');
  });
});
