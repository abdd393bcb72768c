/**
 * A flow as one flat state machine: the only user of `xstate`. It has one state per step, plus `$idle` and `$end`, and
 * one event per routed outcome and per interrupt.
 *
 * Uses: it resolves the target of each outcome (`transition`), finds shortest paths (`xstate/graph`), and describes the
 * flow to inspectors of xstate. Reachable steps are read from the table, because `check` asks for them at each key press.
 * Cycles are found in `lint-graph.ts`: `xstate/graph` enumerates paths, of which a flow of 130 steps has too many, and
 * does not compute strongly connected components.
 *
 * The machine does not run the call. It has no actors, timers, guards or context. Conditions are JSONata, hence
 * asynchronous, so `branch` is a step whose outcomes are its cases. A deadline belongs to the run of a step, because
 * `after` is not part of a snapshot. An actor acts during its transition, but a call must be written before it acts.
 * The stored state of a call is the name of its step, not a snapshot.
 *
 * Invariants
 *  M1 `next` is pure, and selects the longest prefix of the outcome among the exits of the step.
 *  M2 Names reach xstate encoded, because `.`, `*` and `#` have a meaning there.
 */
import { type AnyMachineSnapshot, type AnyStateMachine, createMachine, transition } from 'xstate';
import { getShortestPaths, toDirectedGraph } from 'xstate/graph';
import { mapValues } from '../../base/core/json.ts';
import { END, IDLE, type RouteMachine, type StepExit } from './compiled-flow.ts';
import { prefixes } from './outcome.ts';

/** The part of a flow that the machine is built from. */
export interface RouteTable {
  start: string;
  steps: ReadonlyMap<string, { exits: Readonly<Record<string, string>> }>;
  /** Interrupts: event name → target step, from any step. */
  events: Readonly<Record<string, string>>;
}

/** Outcome that leaves `$idle`. */
const START = 'start';
/** Prefix of interrupts, which share the namespace of outcomes; no outcome begins with it. */
const INTERRUPT = '$event.';

/** Letters and digits are kept; every other character becomes `_` and its code in hexadecimal. */
const encode = (name: string): string =>
  `n${name.replaceAll(/[^A-Za-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;
const decode = (name: string): string =>
  name.slice(1).replaceAll(/_([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Resolved state of the machine: its routed outcomes, and the targets computed so far. */
interface CachedState {
  snapshot: AnyMachineSnapshot;
  outcomes: ReadonlySet<string>;
  targets: Map<string, string>;
}

export function compileMachine(table: RouteTable): RouteMachine {
  let made: AnyStateMachine | undefined;
  /** Made on demand: most flows are only checked, and making it takes a quarter of a check. */
  const machine = (): AnyStateMachine => (made ??= machineOf(table));
  const interrupts = Object.keys(table.events).map((name) => INTERRUPT + name);
  const states = new Map<string, CachedState>();
  const cachedState = (at: string): CachedState | undefined => {
    let known = states.get(at);
    if (known === undefined && Object.hasOwn(machine().states, encode(at))) {
      const own = machine().states[encode(at)]!.ownEvents.map((event) => decode(event));
      const snapshot = machine().resolveState({ value: encode(at), context: {} });
      known = { snapshot, outcomes: new Set([...own, ...interrupts]), targets: new Map() };
      states.set(at, known);
    }
    return known;
  };
  /** A transition builds a whole actor to compute one pure step (25–58 µs), so each result is cached. */
  const targetOf = ({ snapshot, targets }: CachedState, routed: string): string => {
    let target = targets.get(routed);
    if (target === undefined) {
      const [next] = transition(machine(), snapshot, { type: encode(routed) });
      target = decode(String((next as AnyMachineSnapshot).value));
      targets.set(routed, target);
    }
    return target;
  };
  /** Edges of each state as declared in the machine. */
  const edges = (): Map<string, StepExit[]> =>
    new Map(
      toDirectedGraph(machine()).children.map(({ stateNode, edges }) => [
        decode(stateNode.key),
        edges.map(({ label, target }) => ({ outcome: decode(label.text), step: decode(target.key) })),
      ]),
    );
  let reached: ReadonlySet<string> | undefined;
  return {
    reachable: () => (reached ??= reachedFrom(table)),
    paths: () => shortestPaths(machine()),
    definition: () => ({
      initial: IDLE,
      states: mapValues(Object.fromEntries(edges()), (routes) => ({
        on: Object.fromEntries(routes.map(({ outcome, step }) => [outcome, step])),
      })),
    }),
    next(at, outcome) {
      const state = cachedState(at);
      if (state === undefined || at === END) return undefined;
      const isRouted = (name: string): boolean => state.outcomes.has(name);
      const routed = isRouted(outcome) ? outcome : prefixes(outcome).find(isRouted);
      if (routed === undefined) return outcome === 'hangup' && at !== IDLE ? END : undefined;
      return targetOf(state, routed);
    },
  };
}

/** Shortest path to each reachable step. */
function shortestPaths(machine: AnyStateMachine): Map<string, StepExit[]> {
  const found = new Map<string, StepExit[]>();
  for (const path of getShortestPaths(machine, { serializeState: stateOf })) {
    const to = nameOf(path.state);
    if (to === IDLE) continue;
    const events = path.steps.filter(({ event }) => !event.type.startsWith('xstate.'));
    const steps = [IDLE, ...events.map(({ state }) => nameOf(state))];
    found.set(
      to,
      events.map(({ event }, index) => ({ step: steps[index]!, outcome: decode(event.type) })),
    );
  }
  return found;
}

const stateOf = (snapshot: unknown): string => String((snapshot as AnyMachineSnapshot).value);
const nameOf = (snapshot: unknown): string => decode(stateOf(snapshot));

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
    // Each event makes one transition; there are no automatic ones.
    options: { maxIterations: 2 },
    states: Object.fromEntries([
      [encode(IDLE), { on: on({ [START]: start }) }],
      [encode(END), {}],
      ...[...steps].map(([name, { exits }]) => [encode(name), { on: { ...interrupts, ...on(exits) } }]),
    ]),
  });
}

/** All states reachable from the start. */
function reachedFrom({ start, steps, events }: RouteTable): ReadonlySet<string> {
  const isState = (target: string): boolean => target === END || steps.has(target);
  const found = new Set([start].filter(isState));
  const add = (targets: Readonly<Record<string, string>>): void => {
    for (const target of Object.values(targets)) if (isState(target)) found.add(target);
  };
  for (const name of found) {
    const step = steps.get(name);
    if (step === undefined) continue;
    add(step.exits);
    add(events);
  }
  return found;
}
