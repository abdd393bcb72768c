/**
 * Targets of a step's outcomes, resolved at compile time: by the step's `exits` (longest prefix), its `next`, the
 * routes inside its arguments, then the flow's `defaults.exits`.
 */

import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { variableSpec } from './declared-values.ts';
import { END, routeOf } from './outcome.ts';
import { entriesOf, findOutcomes, type OutcomeVerb, type ReturnsOf, targetOf } from './possible-outcomes.ts';

/** Routing properties of a verb. Declared here, because browsers also resolve routes and load none of the schemas. */
export interface RoutedVerb extends OutcomeVerb {
  /** Outcome that `next` routes, e.g. `done`; undefined if the verb has no single success. */
  success?: string;
  /** True if the step ends the flow or the call: it needs no exits. */
  terminal?: boolean;
  /** True if the step takes time on the call or waits for an event: a cycle through it is not a busy loop. */
  waits?: boolean;
  /** True if the step needs a live call, as media does; entering it after the caller hung up ends the flow. */
  needsCall?: boolean;
}

export interface StepRoutes {
  /** Outcomes that must be routed. */
  required: readonly string[];
  /** All possible outcomes of the step. An outcome that is not in `required` ends the flow if it has no route. */
  possible: readonly string[];
  /** Outcome → target. */
  exits: Record<string, string>;
  /** Outcome → its route. */
  routes: ReadonlyMap<string, Route>;
  unrouted: readonly string[];
  /** Targets inside the arguments, each with its first pointer there. */
  inArguments: ReadonlyMap<string, string>;
}

export interface Route {
  target: string;
  /** Location of the route. */
  by: 'exits' | 'next' | 'arguments' | 'defaults';
  /** The outcome, or its prefix, as written there. */
  key: string;
}

/** Properties of a flow that other flows need, such as for a `subflow` step. */
export interface FlowSummary {
  /** Outcomes that the flow can return, including `done` if it can end without a `return`. */
  returns: readonly string[];
  /** Flows that it calls. */
  calls: readonly string[];
  /** Flows to which it hands over the call. */
  continues?: readonly Continuation[];
  /** Flows of calls that it starts: callbacks of a queue. */
  begins?: readonly string[];
  /** Declared input: name → JSON Schema. */
  input?: Readonly<Record<string, JsonObject>>;
  /** True if the flow speaks to the caller. */
  speaks?: boolean;
}

/** Flows that it calls, starts or continues with. */
export const flowsNamedBy = ({ calls, continues = [], begins = [] }: FlowSummary): string[] => [
  ...calls,
  ...begins,
  ...continues.map(({ flow }) => flow),
];

export interface Continuation {
  flow: string;
  /**
   * True if every path to the handover contains a step that takes the caller's time: a cycle of such flows is not a
   * busy loop.
   */
  waits: boolean;
}

/** Verbs that speak to the caller or use the caller's leg. */
const SPEAKING_VERBS = [
  'play',
  'collect',
  'menu',
  'pay',
  'record',
  'bridge',
  'transfer',
  'queue',
  'serve',
  'conference',
  'join_room',
  'resume',
];

/** Verbs that run another flow and have the outcomes that it returns. */
export const CALLING_VERBS: readonly string[] = ['subflow', 'for_each'];

/** Verbs that wait for the caller or another event, or whose duration another flow decides. */
const WAITING_VERBS = [
  ...SPEAKING_VERBS,
  'pause',
  'send_digits',
  'detect_machine',
  'wait_for',
  'webhook',
  ...CALLING_VERBS,
  'parallel',
];

interface RoutedStep {
  /** Name of the step in its flow. */
  name: string;
  spec: RoutedVerb;
  args: Json;
  /** The step as written, with its routes. */
  step: JsonObject;
  /** Default targets of the flow, by outcome. */
  defaults: Readonly<Record<string, string>>;
  returnsOf?: ReturnsOf;
}

export function resolveRoutes({ name, spec, args, step, defaults, returnsOf }: RoutedStep): StepRoutes {
  const exits = targetsOf(step['exits']);
  const next = typeof step['next'] === 'string' ? step['next'] : undefined;
  const found = findOutcomes(spec, args, returnsOf);
  const inline = new Map<string, string>();
  const inArguments = new Map<string, string>();
  for (const each of found) {
    const inside = targetOf(each);
    if (inside === undefined) continue;
    inline.set(each.name, inside.target);
    if (!inArguments.has(inside.target)) inArguments.set(inside.target, inside.pointer);
  }
  const insteadOf = (outcome: string): string | undefined =>
    Object.hasOwn(spec.outcomeTable, outcome) ? spec.outcomeTable[outcome]!.unroutedAs : undefined;
  const isWritten = (outcome: string): boolean =>
    routeOf(outcome, exits) !== undefined || byDefault(outcome) !== undefined;
  const finer = entriesOf(spec.outcomeTable).filter(([, { finerThan }]) => finerThan !== undefined);
  const unwritten = finer.filter(([outcome]) => !isWritten(outcome));
  // A step that `when` skips has the plain success as outcome, so the finer outcomes cannot replace it.
  const isReplaced = (outcome: string): boolean =>
    step['when'] === undefined &&
    finer.some(([, { finerThan }]) => finerThan === outcome) &&
    !unwritten.some(([, { finerThan }]) => finerThan === outcome);
  const optional = found.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  const required = found
    .filter(({ isOptional }) => !isOptional)
    .map(({ name }) => name)
    .filter((outcome) => !isReplaced(outcome) && !unwritten.some(([each]) => each === outcome));
  if (step['max_visits'] !== undefined && !required.includes('limit')) required.push('limit');
  const possible = [...required, ...optional];
  if (!spec.terminal) {
    if ((spec.needsCall || spec.waits) && !possible.includes('hangup')) possible.push('hangup');
    // Any step can have `error`: its templates are evaluated during the call.
    if (!possible.includes('error')) possible.push('error');
  }
  const route = (outcome: string): Route | undefined =>
    writtenIn(exits, 'exits', outcome) ??
    (outcome === spec.success && next !== undefined ? { target: next, by: 'next', key: outcome } : undefined) ??
    byArguments(outcome) ??
    byDefault(outcome) ??
    (insteadOf(outcome) === undefined ? undefined : route(insteadOf(outcome)!));

  function byArguments(outcome: string): Route | undefined {
    const target = inline.get(outcome);
    return target === undefined ? undefined : { target, by: 'arguments', key: outcome };
  }

  function byDefault(outcome: string): Route | undefined {
    const found = writtenIn(defaults, 'defaults', outcome);
    // A step that handles errors by default must not route its own error to itself: the flow ends instead.
    return found?.target === name ? { ...found, target: END } : found;
  }

  const resolved: Record<string, string> = {};
  const routes = new Map<string, Route>();
  const unrouted: string[] = [];
  for (const outcome of possible) {
    const way = route(outcome);
    if (way !== undefined) {
      resolved[outcome] = way.target;
      routes.set(outcome, way);
    } else if (required.includes(outcome) && insteadOf(outcome) === undefined) unrouted.push(outcome);
  }
  return { required, possible, exits: resolved, routes, unrouted, inArguments };
}

function writtenIn(table: Readonly<Record<string, string>>, by: Route['by'], outcome: string): Route | undefined {
  const found = routeOf(outcome, table);
  return found && { ...found, by };
}

/** True if a key of `exits` routes at least one outcome of the step. */
export const matchesAnOutcome = (key: string, possible: readonly string[]): boolean =>
  possible.some((outcome) => outcome === key || outcome.startsWith(`${key}.`));

export function targetsOf(written: Json | undefined): Record<string, string> {
  if (!isObject(written)) return {};
  return Object.fromEntries(
    Object.entries(written).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Name of the flow in an unchecked document. */
export const nameOfFlow = (document: Json | undefined): string | undefined =>
  isObject(document) && typeof document['flow'] === 'string' ? document['flow'] : undefined;

/** Summary of a flow for other flows; reads an unchecked document. */
export function summarise(document: Json): FlowSummary {
  const returns = new Set<string>();
  const calls = new Set<string>();
  const begins = new Set<string>();
  let speaks = false;
  const steps = isObject(document) && isObject(document['steps']) ? document['steps'] : {};
  const defaults = isObject(document) && isObject(document['defaults']) ? targetsOf(document['defaults']['exits']) : {};
  if (Object.values(defaults).includes(END)) returns.add('done');
  for (const step of Object.values(steps)) {
    if (!isObject(step)) continue;
    if (writtenTargets(step).some(([, target]) => target === END)) returns.add('done');
    if (Object.hasOwn(step, 'return')) returns.add(literalOf(step['return'], 'outcome') ?? 'done');
    for (const verb of CALLING_VERBS) {
      const called = literalOf(step[verb], 'flow');
      if (called !== undefined) calls.add(called);
    }
    for (const branch of branchesOf(step['parallel'])) calls.add(branch);
    const waiting = isObject(step['queue']) ? literalOf(step['queue']['waiting'], 'flow') : undefined;
    if (waiting !== undefined) calls.add(waiting);
    const callback = isObject(step['queue']) ? literalOf(step['queue']['callback'] ?? null, 'flow') : undefined;
    if (callback !== undefined) begins.add(callback);
    speaks ||= SPEAKING_VERBS.some((verb) => Object.hasOwn(step, verb));
  }
  const continues = isObject(document) ? continuationsOf(steps, document['start']) : [];
  return {
    ...{ returns: [...returns], calls: [...calls], input: inputsOf(document), speaks },
    ...(continues.length > 0 && { continues }),
    ...(begins.size > 0 && { begins: [...begins] }),
  };
}

/** Schemas of the input that an unchecked document declares. */
export function inputsOf(document: Json): Record<string, JsonObject> {
  const input = isObject(document) && isObject(document['input']) ? document['input'] : {};
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, declared]): [string, JsonObject][] => {
      return isObject(declared) ? [[name, variableSpec(declared).schema]] : [];
    }),
  );
}

/** Targets written at a step, each with its outcome; the outcome is empty for `next`, `branch` and `repeat`. */
function writtenTargets({ next, exits, branch, repeat }: JsonObject): [outcome: string, target: string][] {
  const cases = (Array.isArray(branch) ? branch : []).filter(isObject).flatMap((each) => [each['next'], each['else']]);
  const others = [next, ...cases, isObject(repeat) ? repeat['do'] : undefined].filter(
    (each) => typeof each === 'string',
  );
  return [...Object.entries(targetsOf(exits)), ...others.map((target): [string, string] => ['', target])];
}

function continuationsOf(steps: JsonObject, start: Json | undefined): Continuation[] {
  const named = Object.entries(steps).flatMap(([name, step]) => {
    const flow = isObject(step) ? literalOf(step['continue'], 'flow') : undefined;
    return flow === undefined ? [] : [{ name, flow }];
  });
  if (named.length === 0) return [];
  const atOnce = new Set<string>();
  const queue = typeof start === 'string' ? [start] : [];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    if (!isObject(step) || atOnce.has(name)) continue;
    atOnce.add(name);
    // A step that `when` skips takes no time.
    if (step['when'] === undefined && WAITING_VERBS.some((verb) => Object.hasOwn(step, verb))) continue;
    for (const [outcome, target] of writtenTargets(step)) {
      // A call hangs up only once, and an error route is not part of a regular cycle.
      if (outcome !== 'error' && outcome !== 'hangup') queue.push(target);
    }
  }
  return named.map(({ name, flow }) => ({ flow, waits: !atOnce.has(name) }));
}

function branchesOf(parallel: Json | undefined): string[] {
  const branches = isObject(parallel) && isObject(parallel['branches']) ? Object.values(parallel['branches']) : [];
  return branches.flatMap((branch) => literalOf(branch, 'flow') ?? []);
}

/** Returns a name written directly or under `key`; undefined if it is a template. */
export function literalOf(written: Json | undefined, key: string): string | undefined {
  const word = isObject(written) ? written[key] : written;
  return typeof word === 'string' && !word.includes('${') ? word : undefined;
}
