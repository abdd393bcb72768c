/**
 * Where each outcome of a step leads, resolved when the flow is compiled: by the step's `exits` (longest prefix), its
 * `next`, the routes inside its arguments, then the flow's `defaults.exits`.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { END, prefixes, routeOf } from './outcome.ts';

/** What routing needs of a `VerbSpec`. It is written here because browsers route, too, and load none of the schemas. */
export interface RoutedVerb {
  outcomes(args: Json): string[];
  success?: string;
  terminal?: boolean;
  waits?: boolean;
  needsCall?: boolean;
  inlineExits?(args: Json): Record<string, string>;
}

export interface StepRoutes {
  /** Outcomes that must be routed. */
  required: readonly string[];
  /** All outcomes that the step can have; those beside `required` end the flow where nothing routes them. */
  possible: readonly string[];
  /** Outcome → target. */
  exits: Record<string, string>;
  /** Outcome → what routes it. */
  routes: ReadonlyMap<string, Route>;
  unrouted: readonly string[];
}

export interface Route {
  target: string;
  /** Where it is written. */
  by: 'exits' | 'next' | 'arguments' | 'defaults';
  /** The outcome, or the prefix of it, that is written there. */
  key: string;
}

/** What the language knows of a flow that a `subflow` step names. */
export interface FlowSummary {
  /** Outcomes that it can return, `done` included where it can end without one. */
  returns: readonly string[];
  /** Flows that it calls. */
  calls: readonly string[];
  /** It speaks to the caller. */
  speaks?: boolean;
}

/** Verbs by which a flow speaks to the caller, or takes its line. */
const SPEAKING_VERBS = [
  'play',
  'collect',
  'menu',
  'record',
  'bridge',
  'transfer',
  'queue',
  'conference',
  'join_room',
  'resume',
];

export function resolveRoutes(
  name: string,
  spec: RoutedVerb,
  args: Json,
  step: JsonObject,
  defaults: Readonly<Record<string, string>>,
  /** Outcomes of the verb that need no route here. */
  optional: readonly string[] = [],
): StepRoutes {
  const exits = targetsOf(step['exits']);
  const next = typeof step['next'] === 'string' ? step['next'] : undefined;
  const inline = spec.inlineExits?.(args) ?? {};
  const required = [...new Set(spec.outcomes(args))].filter((outcome) => !optional.includes(outcome));
  if (step['max_visits'] !== undefined && !required.includes('limit')) required.push('limit');
  const possible = [...required, ...optional];
  if (!spec.terminal) {
    if ((spec.needsCall || spec.waits) && !possible.includes('hangup')) possible.push('hangup');
    // Any step can break: its templates are evaluated on the call.
    if (!possible.includes('error')) possible.push('error');
  }
  const route = (outcome: string): Route | undefined =>
    writtenIn(exits, 'exits', outcome) ??
    (outcome === spec.success && next !== undefined ? { target: next, by: 'next', key: outcome } : undefined) ??
    (Object.hasOwn(inline, outcome) ? { target: inline[outcome]!, by: 'arguments', key: outcome } : undefined) ??
    byDefault(outcome) ??
    // A prompt that was cut short was heard: the flow goes on.
    (outcome === 'interrupted' && spec.success !== undefined ? route(spec.success) : undefined);

  function byDefault(outcome: string): Route | undefined {
    const found = writtenIn(defaults, 'defaults', outcome);
    // What handles errors for all must not be sent to itself when it breaks: there the flow ends.
    return found?.target === name ? { ...found, target: END } : found;
  }

  const resolved: Record<string, string> = {};
  const routes = new Map<string, Route>();
  const unrouted: string[] = [];
  for (const outcome of possible) {
    const found = route(outcome);
    if (found !== undefined) {
      resolved[outcome] = found.target;
      routes.set(outcome, found);
    } else if (required.includes(outcome)) unrouted.push(outcome);
  }
  return { required, possible, exits: resolved, routes, unrouted };
}

function writtenIn(table: Readonly<Record<string, string>>, by: Route['by'], outcome: string): Route | undefined {
  const found = routeOf(outcome, table);
  return found && { ...found, by };
}

/** Whether a key of `exits` routes any outcome of the step. */
export const matchesAnOutcome = (key: string, possible: readonly string[]): boolean =>
  possible.some((outcome) => prefixes(outcome).includes(key));

export function targetsOf(written: Json | undefined): Record<string, string> {
  if (!isObject(written)) return {};
  return Object.fromEntries(
    Object.entries(written).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** What an unchecked document says that it is called. */
export const nameOfFlow = (document: Json | undefined): string | undefined =>
  isObject(document) && typeof document['flow'] === 'string' ? document['flow'] : undefined;

/** What other flows need to know of this one; reads an unchecked document. */
export function summarise(document: Json): FlowSummary {
  const returns = new Set<string>();
  const calls = new Set<string>();
  let speaks = false;
  const steps = isObject(document) && isObject(document['steps']) ? document['steps'] : {};
  const defaults = isObject(document) && isObject(document['defaults']) ? targetsOf(document['defaults']['exits']) : {};
  if (Object.values(defaults).includes(END)) returns.add('done');
  for (const step of Object.values(steps)) {
    if (!isObject(step)) continue;
    const { branch } = step;
    const cases = (Array.isArray(branch) ? branch : [])
      .filter(isObject)
      .flatMap((written) => [written['next'], written['else']]);
    const targets = [step['next'], ...Object.values(targetsOf(step['exits'])), ...cases];
    if (targets.includes(END)) returns.add('done');
    if (Object.hasOwn(step, 'return')) returns.add(literalOf(step['return'], 'outcome') ?? 'done');
    const called = literalOf(step['subflow'], 'flow');
    if (called !== undefined) calls.add(called);
    for (const branch of branchesOf(step['parallel'])) calls.add(branch);
    speaks ||= SPEAKING_VERBS.some((verb) => Object.hasOwn(step, verb));
  }
  return { returns: [...returns], calls: [...calls], speaks };
}

function branchesOf(parallel: Json | undefined): string[] {
  const branches = isObject(parallel) && isObject(parallel['branches']) ? Object.values(parallel['branches']) : [];
  return branches.flatMap((branch) => literalOf(branch, 'flow') ?? []);
}

/** A value that is written short, or under `key`, and is not a template. */
export function literalOf(written: Json | undefined, key: string): string | undefined {
  const word = isObject(written) ? written[key] : written;
  return typeof word === 'string' && !word.includes('${') ? word : undefined;
}
