/**
 * Plan to put the steps of a local flow in the place of a step `subflow`: new names, values of the inputs, targets of
 * its ends, and the reasons against it. `inline-flow.ts` writes it.
 */
import { isEqualJson, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { ReturnsByFlow } from '../graph.ts';
import { PLAIN_NAME } from '../name-patterns.ts';
import { flowsNamedIn } from '../named-places.ts';
import { prefixes, routeOf } from '../outcome.ts';
import type { EditRefusal } from './edits.ts';
import { ENDS_ITSELF } from './extract-plan.ts';
import { valueAt } from './flow-source.ts';
import { RUNS_FLOW } from './inline-call.ts';
import type { Language } from './language.ts';
import { freshName } from './new-names.ts';
import { keysAt, momentsIn } from './references.ts';
import { keyOf, readsIn, type ScopeRead } from './scope-reads.ts';
import { reachable } from './step-closure.ts';
import { type FlowValues, flowValues } from './step-values.ts';

export interface InlinePlan {
  /** Step that runs the local flow. */
  call: string;
  /** Name of the local flow. */
  name: string;
  local: JsonObject;
  values: FlowValues;
  inner: FlowValues;
  /** New names of the steps of the local flow. */
  names: ReadonlyMap<string, string>;
  /** New names of its variables. */
  variables: ReadonlyMap<string, string>;
  /** Path of the value that an input becomes. */
  inputs: ReadonlyMap<string, readonly string[]>;
  /** Variables that inputs become, with their declarations. */
  declared: JsonObject;
  /** Assignments before the first step. */
  begin: JsonObject;
  /** Target of an outcome of the step. */
  targetOf(outcome: string): string | undefined;
  isReentered: boolean;
  /** True if nothing else runs the local flow. */
  isUnused: boolean;
}

/** Keys of the step that are written elsewhere, or have no meaning without it. */
const CALL_KEYS = [RUNS_FLOW, 'set', 'next', 'exits', 'section', 'sensitive', 'label', 'doc'];
const LOCAL_KEYS = ['doc', 'input', 'vars', 'output', 'defaults', 'start', 'steps', 'events'];
const RETURN_KEYS = [ENDS_ITSELF, 'section', 'label', 'doc'];

export function inlinePlanOf(
  flow: JsonObject,
  call: string,
  { verbs }: Language,
  others: ReturnsByFlow = new Map(),
): InlinePlan | EditRefusal {
  const step = valueAt(flow, ['steps', call]);
  const written = isObject(step) ? step[RUNS_FLOW] : undefined;
  const name = isObject(written ?? null) ? (written as JsonObject)['flow'] : written;
  if (!isObject(step) || written === undefined) return { refused: `${call} does not run a flow` };
  if (typeof name !== 'string' || name.includes('${')) {
    return { refused: `${call} runs a flow that only the call knows`, hint: 'write the name of the flow' };
  }
  const local = valueAt(flow, ['flows', name]);
  if (!isObject(local)) return { refused: `${name} is not a flow of this file` };
  const flows = new Map([...others, ...keysAt(flow, ['flows']).map((each) => [each, returnsOf(flow, each)] as const)]);
  const values = flowValues(flow, verbs, flows);
  const inner = flowValues(local, verbs, flows);
  const made = { flow, step, name, local, values, inner, call, verbs };
  const reason = shapeProblem(made) ?? runsItself(made) ?? readProblem(made) ?? roundProblem(made);
  if (reason !== undefined) return reason;
  const names = freshNames(keysAt(local, ['steps']), keysAt(flow, ['steps']), call);
  const variables = freshNames(keysAt(local, ['vars']), keysAt(flow, ['vars']), call);
  const given = isObject(written ?? null) ? ((written as JsonObject)['input'] ?? {}) : {};
  if (!isObject(given)) return { refused: `The input of ${call} is an expression`, hint: 'write its values' };
  const taken = [...keysAt(flow, ['vars']), ...variables.values()];
  return {
    ...{ call, name, local, values, inner, names, variables },
    ...inputsOf(made, given, taken),
    begin: { ...resetsOf(made, variables), ...inputsOf(made, given, taken).begin },
    targetOf: (outcome) => targetOf(made, outcome),
    isReentered: isReentered(made),
    isUnused: callersOf(flow, name, verbs) === 1,
  };
}

interface Parts {
  flow: JsonObject;
  step: JsonObject;
  call: string;
  name: string;
  local: JsonObject;
  values: FlowValues;
  inner: FlowValues;
  verbs: Language['verbs'];
}

/** Outcomes that the `return` steps of a local flow name. */
function returnsOf(flow: JsonObject, name: string): { returns: string[] } {
  const steps = keysAt(flow, ['flows', name, 'steps']).map((step) =>
    returnedBy(valueAt(flow, ['flows', name, 'steps', step, ENDS_ITSELF])),
  );
  return { returns: [...new Set(steps.filter((outcome) => outcome !== undefined))] };
}

/** Outcome of a `return`; undefined if it is another step. */
export function returnedBy(written: Json | undefined): string | undefined {
  if (written === undefined) return undefined;
  const outcome = isObject(written) ? written['outcome'] : written;
  return typeof outcome === 'string' ? outcome : 'done';
}

function targetOf({ values, step, call }: Parts, outcome: string): string | undefined {
  const ways = values.steps.get(call)?.ways ?? [];
  const way = prefixes(outcome).flatMap((each) => ways.find((known) => known.outcome === each) ?? [])[0];
  const exits = Object.fromEntries(
    keysAt(step, ['exits']).map((each) => [each, String(valueAt(step, ['exits', each]))]),
  );
  const target = routeOf(outcome, exits)?.target ?? way?.target;
  return target === '' ? undefined : target;
}

const isReentered = ({ values, call }: Parts): boolean =>
  reachable(values, [
    ...(values.steps.get(call)?.ways ?? []).map(({ target }) => target),
    ...Object.values(values.graph.events),
    values.atHangup,
  ]).has(call);

/** The name, prefixed with that of the step if it is taken. */
function freshNames(wanted: readonly string[], known: readonly string[], call: string): ReadonlyMap<string, string> {
  const taken = [...known];
  const prefix = call.replaceAll('-', '_');
  const names = new Map<string, string>();
  for (const each of wanted) {
    const isFree = !taken.includes(each);
    const made = isFree ? each : freshName(`${prefix}_${each}`, [...taken, ...wanted]);
    taken.push(made);
    names.set(each, made);
  }
  return names;
}

// --- values ----------------------------------------------------------------------------------------------------------

const IS_NAME = new RegExp(`^(?:${PLAIN_NAME}|\`[^\`.]+\`)$`, 'u');
const ONE_READ = /^\s*\$\{\s*([^{}]*?)\s*\}\s*$/;

/** Names of the single value that a template reads, such as `vars`, `account`; undefined for anything else. */
export function singleRead(template: Json | undefined): string[] | undefined {
  const code = typeof template === 'string' ? ONE_READ.exec(template)?.[1] : undefined;
  const written = code?.split(/\s*\.\s*/);
  if (written === undefined || !written.every((each) => IS_NAME.test(each))) return undefined;
  const names = written.map((each) => each.replaceAll('`', ''));
  const length = names[0] === 'steps' ? 3 : 2;
  return ['vars', 'input', 'steps'].includes(names[0]!) && names.length === length ? names : undefined;
}

/** An input that passes on a value is read as this value, another one becomes a variable. */
function inputsOf(
  { flow, local, call }: Parts,
  given: JsonObject,
  taken: readonly string[],
): Pick<InlinePlan, 'inputs' | 'declared' | 'begin'> {
  const inputs = new Map<string, readonly string[]>();
  const declared: JsonObject = {};
  const begin: JsonObject = {};
  for (const input of new Set([...keysAt(local, ['input']), ...Object.keys(given)])) {
    const declaration = valueAt(local, ['input', input]);
    const schema = isObject(declaration) ? declaration : {};
    const read = singleRead(given[input]);
    if (read !== undefined && isSameValue(flow, schema, read)) {
      inputs.set(input, read);
      continue;
    }
    const name = freshName(input, [...taken, ...Object.keys(declared)]);
    const made = name === input ? name : freshName(`${call.replaceAll('-', '_')}_${input}`, taken);
    inputs.set(input, ['vars', made]);
    declared[made] = schema;
    if (given[input] !== undefined) begin[made] = given[input];
  }
  return { inputs, declared, begin };
}

/** True if the input takes the value as it is: of the same type, without a default of its own. */
function isSameValue(flow: JsonObject, schema: JsonObject, read: readonly string[]): boolean {
  if (read[0] === 'steps') return Object.keys(schema).every((key) => ['type', 'sensitive'].includes(key));
  const source = valueAt(flow, read.slice(0, 2));
  return isObject(source) && (isEqualJson(source, schema) || isEqualJson(without(source), schema));
}

const without = ({ default: _, ...schema }: JsonObject): JsonObject => schema;

/** Variables that a second run of the steps must find as the first one did. */
function resetsOf(parts: Parts, variables: ReadonlyMap<string, string>): JsonObject {
  const { local, inner } = parts;
  if (!isReentered(parts)) return {};
  const needed = inner.neededAt(String(local['start']));
  return Object.fromEntries(
    [...variables].flatMap(([from, to]): [string, Json][] => {
      const value = valueAt(local, ['vars', from, 'default']);
      return needed.has(keyOf({ scope: 'vars', name: from })) && value !== undefined ? [[to, value]] : [];
    }),
  );
}

// --- reasons against it ----------------------------------------------------------------------------------------------

function shapeProblem(parts: Parts): EditRefusal | undefined {
  const { flow, step, call, name, local, inner, verbs } = parts;
  const key = Object.keys(step).find((each) => !CALL_KEYS.includes(each));
  if (key !== undefined) return { refused: `${call} has ${key}, which its steps cannot keep`, hint: 'remove it first' };
  const other = Object.keys(local).find((each) => !LOCAL_KEYS.includes(each) && !isEqualJson(local[each], flow[each]));
  if (other !== undefined) return { refused: `${name} has its own ${other}`, hint: 'move it to the flow first' };
  if (keysAt(local, ['events']).length > 0) return { refused: `${name} has its own events` };
  const asks = inner.graph.steps.some(({ verb }) => verbs[verb]?.asks);
  const isAlike = (each: string): boolean => {
    const [own, outer] = [valueAt(local, ['defaults', each]), valueAt(flow, ['defaults', each])];
    if (own === undefined)
      return ['locale', 'voice'].includes(each) || outer === undefined || (each === 'input' && !asks);
    return outer !== undefined && isEqualJson(own, outer);
  };
  const differing = [...new Set([...keysAt(local, ['defaults']), ...keysAt(flow, ['defaults'])])].find(
    (each) => each !== 'exits' && !isAlike(each),
  );
  if (differing !== undefined)
    return { refused: `The defaults of ${name} differ from those of the flow: ${differing}` };
  const hangs = [...inner.steps.values()].find(({ name: each }) =>
    keysAt(local, ['steps', each, 'exits']).some((exit) => exit.startsWith('hangup')),
  );
  if (hangs !== undefined) return { refused: `${hangs.name} handles a hang-up itself` };
  const exits = [...keysAt(step, ['exits']), ...keysAt(local, ['defaults', 'exits'])];
  if (exits.some((each) => each.startsWith('hangup'))) return { refused: `${call} handles a hang-up itself` };
  const kind = exits.find((each) => each.startsWith('error.'));
  if (kind !== undefined) return { refused: `${call} has a route of its own for ${kind}`, hint: 'route error alone' };
  if (momentsIn(flow).some((moment) => moment.name.split('.')[0] === call)) {
    return { refused: `The properties of the flow name ${call}` };
  }
  if (targetOf(parts, 'error') === undefined) {
    return { refused: `${call} has no route for error`, hint: 'route it first' };
  }
  for (const each of keysAt(local, ['steps'])) {
    const written = valueAt(local, ['steps', each]);
    if (!isObject(written) || written[ENDS_ITSELF] === undefined) continue;
    const more = Object.keys(written).find((word) => !RETURN_KEYS.includes(word));
    if (more !== undefined) return { refused: `${each} returns, and has ${more}` };
    const outcome = returnedBy(written[ENDS_ITSELF])!;
    if (outcome.includes('${')) return { refused: `${each} returns an outcome that only the call knows` };
    if (targetOf(parts, outcome) === undefined) {
      return { refused: `${call} has no route for ${outcome}`, hint: 'route it first' };
    }
  }
  return undefined;
}

function runsItself({ flow, name, verbs }: Parts): EditRefusal | undefined {
  const queue = [name];
  const found = new Set<string>();
  for (let each = queue.pop(); each !== undefined; each = queue.pop()) {
    for (const called of flowsRunBy(valueAt(flow, ['flows', each]), verbs)) {
      if (called === name) return { refused: `${name} runs itself` };
      if (!found.has(called)) queue.push(called);
      found.add(called);
    }
  }
  return undefined;
}

const flowsRunBy = (flow: Json | undefined, verbs: Language['verbs']): string[] =>
  isObject(flow ?? null)
    ? keysAt(flow as JsonObject, ['steps']).flatMap((step) =>
        keysAt(flow as JsonObject, ['steps', step]).flatMap((verb) =>
          Object.hasOwn(verbs, verb)
            ? flowsNamedIn(verbs[verb]!.names, valueAt(flow, ['steps', step, verb]) ?? null).map((each) => each.flow)
            : [],
        ),
      )
    : [];

/** Number of places in the file that run the flow. */
const callersOf = (flow: JsonObject, name: string, verbs: Language['verbs']): number =>
  [flow, ...keysAt(flow, ['flows']).map((each) => valueAt(flow, ['flows', each]))]
    .flatMap((each) => flowsRunBy(each, verbs))
    .filter((each) => each === name).length;

function readProblem({ flow, local, call, values, inner }: Parts): EditRefusal | undefined {
  const isUnnamed = ({ scope, name, field }: ScopeRead): boolean =>
    name === undefined || (scope === 'steps' && name === call && field === undefined);
  const parts = [...values.steps.values(), ...inner.steps.values()];
  const unknown = parts.find(({ reads }) => reads.any || reads.found.some(isUnnamed));
  if (unknown !== undefined) return { refused: `${unknown.name} reads values by names that only the call knows` };
  if ([flow, local].some((each) => readsIn(each['prompts'], ['prompts']).found.length > 0)) {
    return { refused: 'The prompts of the flow read values', hint: 'write these texts at their steps' };
  }
  const defaults = readsIn(valueAt(local, ['defaults']), ['defaults']).found;
  return defaults.length > 0 ? { refused: 'The defaults of the flow read values' } : undefined;
}

/** Counts, results and variables begin again in each run of a local flow. */
function roundProblem(parts: Parts): EditRefusal | undefined {
  const { local, inner, name, verbs } = parts;
  if (!isReentered(parts)) return undefined;
  const counting = [...inner.steps.values()].find(
    ({ name: step, verb }) =>
      valueAt(local, ['steps', step, 'max_visits']) !== undefined || verbs[verb]?.outcomeTable['limit'] !== undefined,
  );
  if (counting !== undefined) {
    return { refused: `${counting.name} counts its visits, and a loop outside begins the count again` };
  }
  const needed = [...inner.neededAt(String(local['start']))].map((key) => key.split(' '));
  const early = needed.find(([scope, each]) => {
    const value = valueAt(local, ['vars', each!, 'default']);
    return scope === 'steps' || (scope === 'vars' && (value === undefined || JSON.stringify(value).includes('${')));
  });
  return early === undefined
    ? undefined
    : { refused: `${early[1]} is empty at each start of ${name}, and a loop outside would find an older value` };
}

/** Target of an outcome that only the defaults route. */
export const usualTarget = ({ values }: InlinePlan, outcome: string): string | undefined =>
  routeOf(outcome, values.graph.defaults)?.target;
