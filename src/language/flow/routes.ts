/**
 * Targets of a step's outcomes, resolved at compile time: by the step's `exits` (longest prefix), its `next`, the
 * routes inside its arguments, then the flow's `defaults.exits`.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { END, routeOf } from './outcome.ts';
import {
  entriesOf,
  findOutcomes,
  type OutcomeTable,
  type OutcomeVerb,
  type ReturnsOf,
  targetOf,
} from './possible-outcomes.ts';

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
  const finer = finerOf(spec.outcomeTable);
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

const finerOutcomes = new WeakMap<OutcomeTable, ReturnType<typeof entriesOf>>();

/** Outcomes that refine another one. Found once for each verb, because every step asks. */
function finerOf(table: OutcomeTable): ReturnType<typeof entriesOf> {
  const finer = finerOutcomes.get(table) ?? entriesOf(table).filter(([, { finerThan }]) => finerThan !== undefined);
  finerOutcomes.set(table, finer);
  return finer;
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

/** Returns a name written directly or under `key`; undefined if it is a template. */
export function literalOf(written: Json | undefined, key: string): string | undefined {
  const word = isObject(written) ? written[key] : written;
  return typeof word === 'string' && !word.includes('${') ? word : undefined;
}
