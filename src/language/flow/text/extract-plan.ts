/**
 * Plan of the extraction of steps as a local flow: its entry and exits, the values that it needs and gives back,
 * and the reasons against it (`extract-problems.ts`). `extract-flow.ts` writes it.
 */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { END } from '../outcome.ts';
import { isReentered, listed, type Parts, type PlanProblem, variableOf, writtenVariables } from './extract-parts.ts';
import { problemsOf } from './extract-problems.ts';
import { valueAt } from './flow-source.ts';
import type { Language } from './language.ts';
import { freshName } from './new-names.ts';
import { keysAt } from './references.ts';
import { keyOf, readsIn, type ScopeRead } from './scope-reads.ts';
import { entriesOf } from './step-closure.ts';
import { type FlowValues, isAmong } from './step-values.ts';

/** Target of the extracted steps outside of them. */
export interface WayOn {
  target: string;
  /** Outcome of the step that runs the local flow. */
  outcome: string;
  /** True if the steps that lead to it may lead to `$end` in the local flow. */
  isEnd: boolean;
  /** True if interrupts or a hang-up lead to the same step. */
  isInterrupt: boolean;
  /** Names of the results that this way gives back. */
  gives: readonly string[];
  /** Variables that are assigned between this way and its target, because other ways do not give them. */
  assigns: readonly string[];
}

/** Value that the local flow needs. */
export interface NeededInput {
  /** Name of the input. */
  name: string;
  read: Required<Pick<ScopeRead, 'scope' | 'name'>> & ScopeRead;
  /** JSON Schema without the default; empty if the type is unknown. */
  schema: JsonObject;
  isSensitive: boolean;
  /** Steps that read it. */
  readBy: readonly string[];
  /** True if the local flow has a variable of this name, which begins with the value. */
  isKept: boolean;
  /** True if the value may be missing. */
  mayBeMissing: boolean;
}

/** Value that the local flow gives back: a variable, or a field of the result of a step. */
export interface GivenResult {
  name: string;
  read: NeededInput['read'];
  schema: JsonObject;
  isSensitive: boolean;
  /** True if the value is known at each exit. */
  isOnEachWay: boolean;
}

export interface ExtractPlan {
  /** Steps in the order of the text. */
  steps: readonly string[];
  entry: string;
  ways: readonly WayOn[];
  inputs: readonly NeededInput[];
  results: readonly GivenResult[];
  /** Variables that the local flow declares. */
  variables: readonly string[];
  /** True if an error of the steps ends the call. */
  errorEnds: boolean;
  /** True if a route of an error to `$end` moves into the local flow, which may then also end as `done`. */
  hasEnd: boolean;
}

/** Verb that ends the flow with an outcome for its caller. */
export const ENDS_ITSELF = 'return';

export function planOf({
  flow,
  values,
  chosen,
  language,
  compared,
}: {
  flow: JsonObject;
  values: FlowValues;
  chosen: ReadonlySet<string>;
  language: Language;
  compared: readonly string[];
}): ExtractPlan | PlanProblem[] {
  // A `return` ends the calling flow, so it stays outside as a target.
  const selected = new Set(
    [...values.steps].flatMap(([name, { verb }]) => (chosen.has(name) && verb !== ENDS_ITSELF ? [name] : [])),
  );
  if (selected.size === 0) return [{ problem: 'Select at least one step that is not a return' }];
  const entries = entriesOf(values, selected);
  const entry = entries[0];
  if (entry === undefined) return [{ problem: 'Nothing leads to the selected steps' }];
  if (entries.length > 1) return [{ problem: `There are ${entries.length} ways in: ${listed(entries)}` }];
  const inside = [...selected].map((name) => values.steps.get(name)!);
  const outside = [...values.steps.values()].filter(({ name }) => !selected.has(name));
  const parts: Parts = { flow, values, selected, inside, outside, entry, language, compared };
  const problems = problemsOf(parts);
  if (problems.length > 0) return problems;
  const isOutside = (target: string | undefined): boolean =>
    target !== undefined && (target === entry || !selected.has(target));
  const results = resultsOf(parts);
  const ways = waysOf(parts, results);
  const unsure = missingResults(parts, results, ways);
  if (unsure.length > 0) return unsure;
  return {
    ...{ steps: [...selected], entry, ways, results },
    inputs: inputsOf(parts, results),
    variables: [...writtenVariables(parts)],
    hasEnd: inside.some(({ ways: all }) =>
      all.some(
        ({ outcome, target, own }) =>
          outcome === 'error' && target === END && (own || values.graph.defaults['error'] === END),
      ),
    ),
    errorEnds:
      inside.some(({ ways: all }) => all.some(({ outcome, target }) => outcome === 'error' && target === END)) ||
      !isOutside(values.graph.defaults['error']),
  };
}

// --- values ----------------------------------------------------------------------------------------------------------

/** Values written inside that are read outside afterwards. */
function resultsOf(parts: Parts): GivenResult[] {
  const { flow, values, outside, selected, compared } = parts;
  const targets = [...targetsOf(parts)];
  const needed = new Set(targets.flatMap((target) => [...values.neededAt(target)]));
  const variables = [...writtenVariables(parts)].filter(
    (name) =>
      needed.has(`vars ${name}`) || (compared.includes(name) && targets.some((target) => isSet(parts, name, target))),
  );
  const taken = new Set<string>();
  const named = (base: string): string => {
    const name = freshName(base, taken);
    taken.add(name);
    return name;
  };
  const given = variables.map((name): GivenResult => {
    const declared = valueAt(flow, ['vars', name]);
    const isOnEachWay = targets.every((target) => isSet(parts, name, target));
    const known = declarationOf(isObject(declared) ? declared : {});
    return { name: named(name), read: { scope: 'vars', name }, ...known, isOnEachWay };
  });
  const reads = [...outside.flatMap(({ reads: { found } }) => found), ...readsIn(flow['output'], ['output']).found];
  const fields = new Map(
    reads.flatMap((read) =>
      read.scope === 'steps' && selected.has(read.name!) && read.field !== undefined
        ? [[keyOf(read), read] as const]
        : [],
    ),
  );
  for (const read of fields.values()) {
    const { name = '', field = '' } = read;
    given.push({
      name: named(`${wordOf(name)}_${wordOf(field)}`),
      read: { scope: 'steps', name, field },
      ...fieldOf(parts, name, field),
      isOnEachWay: true,
    });
  }
  return given;
}

/** Names of inputs and variables have no dashes. */
const wordOf = (name: string): string => name.replaceAll('-', '_');

function declarationOf({ sensitive, default: _, ...schema }: JsonObject): Pick<GivenResult, 'schema' | 'isSensitive'> {
  return { schema, isSensitive: sensitive === true };
}

function fieldOf(
  { flow, values, language }: Parts,
  step: string,
  field: string,
): Pick<GivenResult, 'schema' | 'isSensitive'> {
  const verb = values.steps.get(step)?.verb ?? '';
  const found = Object.hasOwn(language.verbs, verb) ? language.verbs[verb]!.result?.properties?.[field] : undefined;
  const simple: JsonObject = typeof found?.type === 'string' && found.enum === undefined ? { type: found.type } : {};
  const written = values.graph.steps.find(({ name }) => name === step);
  return {
    schema: valueAt(flow, ['steps', step]) === undefined ? {} : simple,
    isSensitive: written?.sensitive === true,
  };
}

function inputsOf(parts: Parts, results: readonly GivenResult[]): NeededInput[] {
  const { flow, values, inside, selected, entry } = parts;
  const written = writtenVariables(parts);
  const needed = values.neededAt(entry);
  const returned = new Set(results.flatMap(({ read }) => (read.scope === 'vars' ? [read.name] : [])));
  const readers = new Map<string, { read: ScopeRead; by: string[] }>();
  for (const { name, reads } of inside) {
    for (const read of reads.found) {
      const known = readers.get(keyOf(read)) ?? { read, by: [] };
      if (!known.by.includes(name)) known.by.push(name);
      readers.set(keyOf(read), known);
    }
  }
  // A variable that a way does not set keeps its value.
  for (const name of returned) {
    const read: ScopeRead = { scope: 'vars', name };
    if (!readers.has(keyOf(read))) readers.set(keyOf(read), { read, by: [] });
  }
  const before = values.writtenBefore().get(entry) ?? new Set();
  const taken = new Set<string>();
  // Inputs of the flow keep their names.
  const inOrder = [...readers].toSorted(
    ([, one], [, other]) => Number(other.read.scope === 'input') - Number(one.read.scope === 'input'),
  );
  return inOrder.flatMap(([key, { read, by }]): NeededInput[] => {
    const { scope, name = '', field = '' } = read;
    if (scope === 'steps' && selected.has(name)) return [];
    if (scope === 'vars' && !(needed.has(key) || !written.has(name))) return [];
    const declared = valueAt(flow, [scope, name]);
    const known = scope === 'steps' ? fieldOf(parts, name, field) : declarationOf(isObject(declared) ? declared : {});
    const hasDefault = isObject(declared) && declared['default'] !== undefined;
    const base = scope === 'steps' ? `${wordOf(name)}_${wordOf(field)}` : name;
    const fresh = freshName(base, taken);
    taken.add(fresh);
    return [
      {
        ...{ name: fresh, read: { scope, name, ...(field !== '' && { field }) }, readBy: by, ...known },
        isKept: scope === 'vars' && written.has(name),
        mayBeMissing: scope === 'vars' && !hasDefault && !isAmong(key, before),
      },
    ];
  });
}

// --- ways on ---------------------------------------------------------------------------------------------------------

/** Targets outside, without those of a hang-up and of an error that ends the call, which the calling step passes on. */
const targetsOf = ({ inside, selected }: Parts): ReadonlySet<string> =>
  new Set(
    inside.flatMap(({ ways }) =>
      ways.flatMap(({ outcome, target }) => {
        const isPassedOn = outcome === 'hangup' || (outcome === 'error' && target === END);
        return selected.has(target) || target === '' || isPassedOn ? [] : [target];
      }),
    ),
  );

function waysOf(parts: Parts, results: readonly GivenResult[]): WayOn[] {
  const { inside, values, compared } = parts;
  const targets = targetsOf(parts);
  const taken = new Set<string>();
  const alone = results.flatMap(({ read, isOnEachWay }) => (isOnEachWay ? [] : [read.name]));
  return [...targets].map((target): WayOn => {
    const base = target === END || targets.size === 1 ? 'done' : outcomeName(target);
    const outcome = freshName(base, taken);
    taken.add(outcome);
    const assigns = alone.filter(
      (name) => values.neededAt(target).has(`vars ${name}`) || (compared.includes(name) && isSet(parts, name, target)),
    );
    const isError = inside.some(({ ways }) => ways.some((way) => way.target === target && way.outcome === 'error'));
    const isEnd = results.length === 0 && (target === END || (targets.size === 1 && !isError));
    const isInterrupt = target === values.atHangup || Object.values(values.graph.events).includes(target);
    const isGiven = ({ read, isOnEachWay }: GivenResult): boolean =>
      read.scope === 'steps' ? values.neededAt(target).has(keyOf(read)) : isOnEachWay || assigns.includes(read.name);
    const gives = results.flatMap((result) => (isGiven(result) ? [result.name] : []));
    return { target, outcome, isEnd, isInterrupt, gives, assigns };
  });
}

const RESERVED = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start', 'done'];
const outcomeName = (target: string): string => (RESERVED.includes(target) ? `to_${target}` : target);

/** True if the variable has a value whenever the target is reached. */
function isSet({ flow, values, inside }: Parts, name: string, target: string): boolean {
  const declared = valueAt(flow, ['vars', name]);
  if (isObject(declared) && declared['default'] !== undefined) return true;
  const before = values.writtenBefore();
  return inside.every((step) =>
    step.ways.every(
      (way) =>
        way.target !== target ||
        way.outcome === 'hangup' ||
        isAmong(`vars ${name}`, new Set([...(before.get(step.name) ?? []), ...step.writes(way.outcome)])),
    ),
  );
}

function missingResults(parts: Parts, results: readonly GivenResult[], ways: readonly WayOn[]): PlanProblem[] {
  const { values, selected, entry, inside } = parts;
  const unset = ways.flatMap(({ target, assigns }) => assigns.filter((name) => !isSet(parts, name, target)));
  const found: PlanProblem[] = [...new Set(unset)].map((name) => ({
    problem: `The variable ${name} may still be empty after these steps, and is read afterwards`,
    hint: 'give it a default',
  }));
  const masked = results.find(({ read, isSensitive }) => read.scope === 'steps' && isSensitive);
  const open = results.find(({ read, isSensitive }) => read.scope === 'vars' && !isSensitive);
  if (masked !== undefined && open !== undefined) {
    const problem = `The result of ${masked.read.name} is masked, and would be given back together with ${open.read.name}`;
    found.push({ problem, hint: 'keep the masked value in a sensitive variable' });
  }
  if (!isReentered(parts)) return found;
  const written = values.writtenBefore(entry, selected);
  for (const { read } of results) {
    if (read.scope !== 'steps') continue;
    const isSure = inside.every((step) =>
      step.ways.every(
        ({ target, outcome }) =>
          selected.has(target) ||
          isAmong(keyOf(read), new Set([...(written.get(step.name) ?? []), ...step.writes(outcome)])),
      ),
    );
    if (!isSure) found.push({ problem: `The result of ${read.name} may be from an earlier round of the loop` });
  }
  return found;
}

/** Declarations of the variables that are not used outside any more. */
export function unusedOutside(flow: JsonObject, values: FlowValues, plan: ExtractPlan): string[] {
  const used = new Set<string>();
  const results = new Set(plan.results.flatMap(({ read }) => (read.scope === 'vars' ? [read.name] : [])));
  const inputs = new Set(plan.inputs.flatMap(({ read }) => (read.scope === 'vars' ? [read.name] : [])));
  for (const [name, { reads, mayWrite }] of values.steps) {
    if (plan.steps.includes(name)) continue;
    for (const read of reads.found) if (read.scope === 'vars') used.add(read.name ?? '*');
    for (const key of mayWrite) used.add(variableOf(key) ?? '');
  }
  for (const read of readsIn({ output: flow['output'] ?? null, defaults: flow['defaults'] ?? null }, []).found) {
    if (read.scope === 'vars') used.add(read.name ?? '*');
  }
  return keysAt(flow, ['vars']).filter(
    (name) =>
      plan.variables.includes(name) && !used.has(name) && !used.has('*') && !results.has(name) && !inputs.has(name),
  );
}
