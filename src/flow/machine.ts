/**
 * A flow as one flat state machine: the only user of `xstate`. One state per step, and `$idle` and `$end`; an event per
 * routed outcome. The machine only routes: no actors, no timers, no guards, no context.
 *
 * Invariants
 *  M1 `next` is pure, and equals the longest prefix of the outcome among the exits of the step;
 *  M2 names reach xstate encoded: `.`, `*` and `#` have meanings of their own there.
 */
import { type AnyMachineSnapshot, type AnyStateMachine, createMachine, transition } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { END, IDLE, type RouteMachine } from './compiled-flow.ts';
import { prefixes } from './outcome.ts';

/** What the machine needs of a flow. */
export interface RouteTable {
  start: string;
  steps: ReadonlyMap<string, { exits: Readonly<Record<string, string>> }>;
  /** Interrupts: they lead away from any step. */
  events: Readonly<Record<string, string>>;
}

export interface PathStep {
  step: string;
  outcome: string;
}

/** The outcome by which `$idle` is left. */
const START = 'start';
/** Interrupts share the namespace of outcomes, under a word that no outcome begins with. */
const INTERRUPT = '$event.';

/** Letters and digits stay; every other character becomes `_` and its code. */
const encode = (name: string): string =>
  `n${name.replaceAll(/[^A-Za-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;
const decode = (name: string): string =>
  name.slice(1).replaceAll(/_([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** A state as the machine left it ready: what it routes, and the targets that were asked for before. */
interface CachedState {
  snapshot: AnyMachineSnapshot;
  outcomes: ReadonlySet<string>;
  targets: Map<string, string>;
}

export function compileMachine(table: RouteTable): RouteMachine {
  const machine = machineOf(table);
  const interrupts = Object.keys(table.events).map((name) => INTERRUPT + name);
  const states = new Map<string, CachedState>();
  const stateOf = (at: string): CachedState | undefined => {
    let known = states.get(at);
    if (known === undefined && Object.hasOwn(machine.states, encode(at))) {
      const own = machine.states[encode(at)]!.ownEvents.map((event) => decode(event));
      const snapshot = machine.resolveState({ value: encode(at), context: {} });
      known = { snapshot, outcomes: new Set([...own, ...interrupts]), targets: new Map() };
      states.set(at, known);
    }
    return known;
  };
  /** A transition builds a whole actor to compute one pure step (25–58 µs), so each is computed once. */
  const targetOf = ({ snapshot, targets }: CachedState, routed: string): string => {
    let target = targets.get(routed);
    if (target === undefined) {
      const [next] = transition(machine, snapshot, { type: encode(routed) });
      target = decode(String((next as AnyMachineSnapshot).value));
      targets.set(routed, target);
    }
    return target;
  };
  return {
    next(at, outcome) {
      const state = stateOf(at);
      if (state === undefined || at === END) return undefined;
      const isRouted = (name: string): boolean => state.outcomes.has(name);
      const routed = isRouted(outcome) ? outcome : prefixes(outcome).find(isRouted);
      if (routed === undefined) return outcome === 'hangup' && at !== IDLE ? END : undefined;
      return targetOf(state, routed);
    },
  };
}

/** Steps that some sequence of outcomes and interrupts leads to. */
export function reachableSteps(table: RouteTable): Set<string> {
  return new Set(paths(table).map(({ to }) => to));
}

/** A shortest path to each reachable step, as the outcomes that lead there. */
export function pathsTo(table: RouteTable): Map<string, PathStep[]> {
  return new Map(paths(table).map(({ to, steps }) => [to, steps]));
}

function paths(table: RouteTable): { to: string; steps: PathStep[] }[] {
  const found: { to: string; steps: PathStep[] }[] = [];
  for (const path of getShortestPaths(machineOf(table), {
    serializeState: (state) => String((state as AnyMachineSnapshot).value),
  })) {
    const to = decode(String((path.state as AnyMachineSnapshot).value));
    if (to === IDLE) continue;
    let step = IDLE;
    const steps: PathStep[] = [];
    for (const { event, state } of path.steps) {
      if (event.type.startsWith('xstate.')) continue;
      steps.push({ step, outcome: decode(event.type) });
      step = decode(String((state as AnyMachineSnapshot).value));
    }
    found.push({ to, steps });
  }
  return found;
}

function machineOf({ start, steps, events }: RouteTable): AnyStateMachine {
  const known = (target: string) => target === END || steps.has(target);
  const on = (exits: Readonly<Record<string, string>>, prefix = '') =>
    Object.fromEntries(
      Object.entries(exits)
        .filter(([, target]) => known(target))
        .map(([outcome, target]) => [encode(prefix + outcome), { target: encode(target) }]),
    );
  const interrupts = on(events, INTERRUPT);
  return createMachine({
    initial: encode(IDLE),
    // Nothing here is ever repeated by itself; one step per event is all.
    options: { maxIterations: 2 },
    states: Object.fromEntries([
      [encode(IDLE), { on: on({ [START]: start }) }],
      [encode(END), {}],
      ...[...steps].map(([name, { exits }]) => [encode(name), { on: { ...interrupts, ...on(exits) } }]),
    ]),
  });
}
