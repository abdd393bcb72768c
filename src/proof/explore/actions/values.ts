/**
 * Input values that affect the path of a flow, taken from the constants in conditions, the schemas of variables and of
 * `returns`, and the responses in the tests of the flow's folder. `relevant-variables.ts` analyses the flow.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { compileCheck } from '../../../base/schema/compile-check.ts';
import type { CompiledFlow, CompiledStep } from '../../../language/flow/compiled-flow.ts';
import type { Scalar } from '../../../language/flow/types/type.ts';
import { textsFor } from './pattern-texts.ts';
import { relevantVariables, variableOf } from './relevant-variables.ts';
import { sampleOf, UNKNOWN, valuesOfSchema } from './schema-values.ts';
import { usualDigits } from './usual-digits.ts';

const MAX_BODIES = 40;
/** Maximum number of bodies with combinations of compared values. */
const MAX_COMPARED = 24;
/** Maximum number of parts of an answer that one variable may have. */
const MAX_PARTS = 20;
const MAX_DIGITS = 8;
const OTHER_TEXT = 'something else';

/** Bodies of a successful response. The first is the most likely; the others differ in values that affect the path. */
export function bodiesFor(step: CompiledStep, flow: CompiledFlow, tested: readonly Json[] = []): Json[] {
  const returns = isObject(step.args) ? step.args['returns'] : undefined;
  return valuesOf(`steps.${step.name}.body`, isObject(returns) ? returns : undefined, flow, tested);
}

/** Values for a path whose parts are read. The first is the most likely; the others affect the course of the flow. */
export function valuesOf(
  prefix: string,
  schema: JsonObject | undefined,
  flow: CompiledFlow,
  tested: readonly Json[] = [],
): Json[] {
  const cache = knownValues.get(flow) ?? new Map<string, Json[]>();
  knownValues.set(flow, cache);
  const key = JSON.stringify([prefix, schema ?? null, tested]);
  const known = cache.get(key) ?? findValues(prefix, schema, flow, tested);
  cache.set(key, known);
  return known;
}

/** Values by flow, because a search lists the actions of a step at each of its states. */
const knownValues = new WeakMap<CompiledFlow, Map<string, Json[]>>();

function findValues(
  prefix: string,
  schema: JsonObject | undefined,
  flow: CompiledFlow,
  tested: readonly Json[],
): Json[] {
  const fits = schema ? (body: Json) => compileCheck(schema)(body) === undefined : () => true;
  const reads = readsBelow(prefix, flow);
  const compared = comparedBodies(schema, reads, flow);
  const wholes = reads.has('') && reads.size === 1 ? candidatesFor(prefix, flow, schema) : [];
  const varied = schema === undefined ? [] : compared.flatMap((body) => variationsOf(body, schema, [...reads.keys()]));
  return distinct([...(wholes.length > 0 ? wholes : compared), ...tested, ...varied])
    .filter(fits)
    .slice(0, MAX_BODIES);
}

/** Bodies with the values that conditions compare with, in all combinations if these are not too many. */
function comparedBodies(
  schema: JsonObject | undefined,
  reads: ReadonlyMap<string, ReadonlySet<string>>,
  flow: CompiledFlow,
): Json[] {
  const { constants } = relevantVariables(flow);
  const valuesAt = new Map<string, Json[]>();
  const isClosed = schema?.['additionalProperties'] === false;
  for (const path of [...reads.keys()].filter((each) => each !== '').toSorted()) {
    const inner = schema && schemaAt(schema, path);
    if (isClosed && inner === undefined) continue;
    const all = [...reads.get(path)!];
    const deciding = all.filter((each) => constants.has(each));
    const candidates = (deciding.length > 0 ? deciding : all.slice(0, 1)).flatMap((each) =>
      candidatesFor(each, flow, inner),
    );
    valuesAt.set(path, deciding.length > 0 ? distinct(candidates) : candidates.slice(0, 1));
  }
  let bodies: Json[] = [schema ? sampleOf(schema) : {}];
  for (const [path, values] of valuesAt) {
    bodies =
      bodies.length * values.length <= MAX_COMPARED
        ? bodies.flatMap((body) => values.map((value) => withValue(body, path, value)))
        : [
            ...bodies.map((body) => withValue(body, path, values[0] ?? null)),
            ...values.slice(1).map((value) => withValue(bodies[0]!, path, value)),
          ];
  }
  return bodies;
}

/** Bodies that differ from this one in one part that the flow reads: another number of items, an absent or null value. */
const variationsOf = (body: Json, schema: JsonObject, reads: readonly string[]): Json[] =>
  valuesOfSchema(schema, {
    isVaried: (path) =>
      path === '' ||
      reads.some((read) => read === '' || read === path || read.startsWith(`${path}.`) || path.startsWith(`${read}.`)),
    likely: (path) => valueBelow(body, path),
  });

/** Value at a path, in the first item of each list. */
function valueBelow(body: Json, path: string): Json | undefined {
  let at: Json | undefined = body;
  for (const key of path.split('.')) {
    while (Array.isArray(at)) at = at[0];
    at = isObject(at) ? at[key] : undefined;
  }
  return at;
}

/** Paths that the flow reads below `prefix`, directly or through variables, each with its full paths. */
function readsBelow(prefix: string, flow: CompiledFlow): ReadonlyMap<string, ReadonlySet<string>> {
  const { read, madeOf } = relevantVariables(flow);
  const known = new Map<string, Set<string>>([[prefix, new Set([''])]]);
  const below = (path: string): string[] =>
    [...known].flatMap(([from, parts]) => {
      if (path !== from && !path.startsWith(`${from}.`)) return [];
      const rest = path.slice(from.length + 1);
      return [...parts].map((part) => [part, rest].filter((each) => each !== '').join('.'));
    });
  for (let grew = true; grew; ) {
    grew = false;
    for (const [variable, sources] of madeOf) {
      const parts = known.get(`vars.${variable}`) ?? new Set();
      const before = parts.size;
      for (const source of sources) for (const part of below(source)) if (parts.size < MAX_PARTS) parts.add(part);
      if (parts.size > 0) known.set(`vars.${variable}`, parts);
      if (parts.size > before) grew = true;
    }
  }
  const reads = new Map<string, Set<string>>();
  // The answer itself before variables, which may have another value.
  const direct = [...read].toSorted((one, other) => Number(other.startsWith(prefix)) - Number(one.startsWith(prefix)));
  for (const path of direct) for (const part of below(path)) reads.set(part, (reads.get(part) ?? new Set()).add(path));
  return reads;
}

/** Digits that a question accepts, without the terminator. */
export function digitsFor(step: CompiledStep, flow: CompiledFlow): string[] {
  const rules = isObject(step.args) && isObject(step.args['digits']) ? step.args['digits'] : {};
  const least = Number(rules['length'] ?? rules['min'] ?? 1);
  const most = Number(rules['length'] ?? rules['max'] ?? 32);
  const pattern = typeof rules['pattern'] === 'string' ? new RegExp(`^(?:${rules['pattern']})$`) : undefined;
  const fits = (digits: string): boolean =>
    /^[0-9*#A-D]+$/.test(digits) && digits.length >= least && digits.length <= most && (pattern?.test(digits) ?? true);
  const path = `steps.${step.name}.digits`;
  const specs = variablesFrom(path, flow);
  const wanted = candidatesFor(path, flow, undefined).flatMap((value) => [
    String(value),
    String(value).padStart(least, '0'),
  ]);
  const { pattern: written } = rules;
  const matching = typeof written === 'string' ? textsFor(written) : [];
  const usual = [...matching, ...specs.flatMap(textsOfSchema), ...usualDigits(least, most)].filter(fits);
  const isTaken = (digits: string): boolean =>
    specs.every(
      (schema) => compileCheck(schema)(digits) === undefined || compileCheck(schema)(Number(digits)) === undefined,
    );
  const [likely = usual[0]] = usual.filter(isTaken);
  const refused = usual.find((digits) => !isTaken(digits));
  const compared = relevantVariables(flow).constants.get(path);
  // Alternatives of a pattern probably differ in meaning, so that all are tried.
  const deciding = compared ? [...wanted, ...(String(written).includes('|') ? matching : [])] : [];
  const chosen = [...(compared?.size ? deciding : []), likely, refused, ...deciding].filter(
    (each) => each !== undefined,
  );
  return distinct(chosen.filter(fits)).slice(0, MAX_DIGITS) as string[];
}

/** Candidate values of a path, the most likely first. */
function candidatesFor(path: string, flow: CompiledFlow, schema: JsonObject | undefined): Json[] {
  const { constants } = relevantVariables(flow);
  const compared = [...(constants.get(path) ?? [])];
  const specs = [...(schema ? [schema] : []), ...variablesFrom(path, flow)];
  const declared = specs.flatMap((spec) => valuesOfSchema(spec));
  const numbers = compared.filter((value) => typeof value === 'number');
  const values: Json[] = [
    ...compared.filter((value) => typeof value !== 'number'),
    ...numbers.flatMap((value) => [value, value + 1, value - 1]),
    ...(compared.some((value) => typeof value === 'boolean') ? [true, false] : []),
    ...declared,
    ...(compared.some((value) => typeof value === 'string') ? [OTHER_TEXT] : []),
  ];
  const all = distinct(values.length === 0 ? [UNKNOWN, null] : values);
  const fitting = all.filter((value) => specs.every((spec) => compileCheck(spec)(value) === undefined));
  return fitting.length > 0 ? fitting : all;
}

/** Schemas of the variables that are assigned only from this path. */
function variablesFrom(path: string, flow: CompiledFlow): JsonObject[] {
  const { madeOf } = relevantVariables(flow);
  return [...madeOf].flatMap(([variable, sources]) => {
    const schema = sources.size === 1 && sources.has(path) ? flow.vars[variable]?.schema : undefined;
    return schema ? [schema] : [];
  });
}

const textsOfSchema = ({ pattern }: JsonObject): string[] => (typeof pattern === 'string' ? textsFor(pattern) : []);

function schemaAt(schema: JsonObject, path: string): JsonObject | undefined {
  let at: Json | undefined = schema;
  for (const key of path.split('.')) {
    while (isObject(at) && isObject(at['items'])) at = at['items'];
    at = isObject(at) && isObject(at['properties']) ? at['properties'][key] : undefined;
  }
  return isObject(at) ? at : undefined;
}

/** Sets a value, in lists that of the first item. A part that is null, or a list without items, stays as it is. */
function withValue(body: Json, path: string, value: Json): Json {
  if (Array.isArray(body)) return body.length === 0 ? body : [withValue(body[0]!, path, value), ...body.slice(1)];
  if (body === null) return body;
  const [key, ...rest] = path.split('.');
  const map = isObject(body) ? body : {};
  return { ...map, [key!]: rest.length === 0 ? value : withValue(map[key!] ?? {}, rest.join('.'), value) };
}

const distinct = <Value extends Json | undefined>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** Constants with which conditions compare `input`, `env` and `call`, by path. */
export function outsideValues(flow: CompiledFlow): ReadonlyMap<string, readonly Scalar[]> {
  const { constants } = relevantVariables(flow);
  return new Map(
    [...constants].flatMap(([path, values]): [string, Scalar[]][] =>
      /^(input|env|call)\./.test(path) && variableOf(path) === undefined && values.size > 0
        ? [[path, [...values]]]
        : [],
    ),
  );
}
