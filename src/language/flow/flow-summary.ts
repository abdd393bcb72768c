/**
 * Summaries of flows for other flows: what they return, declare, and run. They are read from unchecked documents, so
 * that a flow with errors has one, too.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { variableSpec } from './declared-values.ts';
import { neededInputs, outputSchema } from './flow-outputs.ts';
import { flowsNamedIn, placesNaming, valuesAt } from './named-places.ts';
import { END } from './outcome.ts';
import { hasExpression } from './outcome-conditions.ts';
import { entriesOf, valueBelow } from './possible-outcomes.ts';
import { literalOf, targetsOf } from './routes.ts';
import { namesOf, speaks as speaksToCaller, takesTime } from './verb-facts.ts';
import { verbOutcomes } from './verb-outcomes.ts';

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
  /** Names of inputs that a caller has to give. */
  needs?: readonly string[];
  /** Names of inputs whose values are masked. */
  hides?: readonly string[];
  /** JSON Schemas of its output, by outcome. */
  outputs?: Readonly<Record<string, JsonObject>>;
  /** Flows that it runs while the caller waits in a queue. */
  waiting?: readonly string[];
  /** Keys that end the wait in these flows, by flow; `""` for a key that only the call knows. */
  waitingKeys?: Readonly<Record<string, readonly string[]>>;
  /** True if the flow speaks to the caller. */
  speaks?: boolean;
}

/** Flows that it calls, starts or continues with. */
export const flowsNamedBy = ({ calls, continues = [], begins = [] }: FlowSummary): string[] => [
  ...calls,
  ...begins,
  ...continues.map(({ flow }) => flow),
];

/** Flows that call this one or continue with it, directly or through others. */
export function callersIn(summaries: ReadonlyMap<string, FlowSummary>, name: string): string[] {
  const found = new Set<string>();
  const visit = (called: string): void => {
    for (const [caller, summary] of summaries) {
      if (!flowsNamedBy(summary).includes(called) || found.has(caller)) continue;
      found.add(caller);
      visit(caller);
    }
  };
  visit(name);
  return [...found];
}

export interface Continuation {
  flow: string;
  /**
   * True if every path to the handover contains a step that takes the caller's time: a cycle of such flows is not a
   * busy loop.
   */
  waits: boolean;
}

/** Name of the flow in an unchecked document. */
export const nameOfFlow = (document: Json | undefined): string | undefined =>
  isObject(document) && typeof document['flow'] === 'string' ? document['flow'] : undefined;

export function summarise(document: Json): FlowSummary {
  const returns = new Set<string>();
  const calls = new Set<string>();
  const begins = new Set<string>();
  const waiting = new Map<string, string[]>();
  const root = isObject(document) ? document : {};
  const outputs = new Map<string, JsonObject[]>();
  const gives = (outcome: string, output: Json | undefined): void => {
    outputs.set(outcome, [...(outputs.get(outcome) ?? []), outputSchema(output ?? root['output'], root)]);
  };
  let speaks = false;
  const steps = isObject(document) && isObject(document['steps']) ? document['steps'] : {};
  const defaults = isObject(document) && isObject(document['defaults']) ? targetsOf(document['defaults']['exits']) : {};
  if (Object.values(defaults).includes(END)) returns.add('done');
  for (const step of Object.values(steps)) {
    if (!isObject(step)) continue;
    if (writtenTargets(step).some(([, target]) => target === END)) returns.add('done');
    if (Object.hasOwn(step, 'return')) {
      const outcome = literalOf(step['return'], 'outcome') ?? 'done';
      returns.add(outcome);
      gives(outcome, isObject(step['return']) ? step['return']['output'] : undefined);
    }
    for (const [verb, args] of Object.entries(step)) {
      speaks ||= speaksToCaller(verb);
      for (const { flow, use } of flowsNamedIn(namesOf(verb), args)) {
        if (use === 'waits') waiting.set(flow, [...(waiting.get(flow) ?? []), ...keysOfOutcomes(verb, args)]);
        if (use === 'begins') begins.add(flow);
        else if (use !== 'continues') calls.add(flow);
      }
    }
  }
  // A flow may end without a `return`.
  if (returns.has('done')) gives('done', undefined);
  const needs = neededInputs(root);
  const input = inputsOf(document);
  const hides = Object.keys(input).filter((name) => isSensitive(root, name));
  const continues = isObject(document) ? continuationsOf(steps, document['start']) : [];
  return {
    ...{ returns: [...returns], calls: [...calls], input, speaks },
    ...(needs.length > 0 && { needs }),
    ...(hides.length > 0 && { hides }),
    ...(waiting.size > 0 && { waiting: [...waiting.keys()], waitingKeys: withEvents(waiting, root['events']) }),
    outputs: Object.fromEntries([...outputs].map(([outcome, schemas]) => [outcome, eitherOf(schemas)])),
    ...(continues.length > 0 && { continues }),
    ...(begins.size > 0 && { begins: [...begins] }),
  };
}

/** Keys that the arguments of a step give to outcomes. */
const keysOfOutcomes = (verb: string, args: Json): string[] =>
  entriesOf(verbOutcomes(verb)?.outcomeTable ?? {}).flatMap(([, { key, each }]) => {
    const written = key === undefined || each !== undefined ? undefined : valueBelow(args, key);
    return typeof written !== 'string' ? [] : [hasExpression(written) ? '' : written];
  });

const KEY_EVENT = 'dtmf.';

/** Keys with events of the flow, which also happen while the caller waits. */
function withEvents(keys: ReadonlyMap<string, string[]>, events: Json | undefined): Record<string, string[]> {
  const names = isObject(events) ? Object.keys(events) : [];
  const ofEvents = names.flatMap((name) => (name.startsWith(KEY_EVENT) ? [name.slice(KEY_EVENT.length)] : []));
  return Object.fromEntries([...keys].map(([flow, own]) => [flow, [...own, ...ofEvents]]));
}

const eitherOf = (schemas: readonly JsonObject[]): JsonObject =>
  schemas.length === 1 ? schemas[0]! : { anyOf: [...schemas] };

const isSensitive = ({ input }: JsonObject, name: string): boolean =>
  isObject(input) && isObject(input[name]) && input[name]['sensitive'] === true;

/** Schemas of the input that an unchecked document declares. */
export function inputsOf(document: Json): Record<string, JsonObject> {
  const input = isObject(document) && isObject(document['input']) ? document['input'] : {};
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, declared]): [string, JsonObject][] => {
      return isObject(declared) ? [[name, variableSpec(declared).schema]] : [];
    }),
  );
}

/** Targets written at a step, each with its outcome; the outcome is empty for `next` and targets in arguments. */
function writtenTargets(step: JsonObject): [outcome: string, target: string][] {
  const inArguments = Object.entries(step).flatMap(([verb, args]) =>
    placesNaming(namesOf(verb), 'step').flatMap((pointer) => [...valuesAt(args, pointer)].map(([, target]) => target)),
  );
  const others = [step['next'], ...inArguments].filter((target) => typeof target === 'string');
  return [...Object.entries(targetsOf(step['exits'])), ...others.map((target): [string, string] => ['', target])];
}

function continuationsOf(steps: JsonObject, start: Json | undefined): Continuation[] {
  const named = Object.entries(steps).flatMap(([name, step]) =>
    Object.entries(isObject(step) ? step : {}).flatMap(([verb, args]) =>
      flowsNamedIn(namesOf(verb), args).flatMap(({ flow, use }) => (use === 'continues' ? [{ name, flow }] : [])),
    ),
  );
  if (named.length === 0) return [];
  const atOnce = new Set<string>();
  const queue = typeof start === 'string' ? [start] : [];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    if (!isObject(step) || atOnce.has(name)) continue;
    atOnce.add(name);
    // A step that `when` skips takes no time.
    if (step['when'] === undefined && Object.keys(step).some(takesTime)) continue;
    for (const [outcome, target] of writtenTargets(step)) {
      // A call hangs up only once, and an error route is not part of a regular cycle.
      if (outcome !== 'error' && outcome !== 'hangup') queue.push(target);
    }
  }
  return named.map(({ name, flow }) => ({ flow, waits: !atOnce.has(name) }));
}
