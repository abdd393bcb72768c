/**
 * Input values that affect the path of a flow, taken from the constants in conditions, the schemas of variables and of
 * `returns`, and the responses in the tests of the flow's folder. `relevant-variables.ts` analyses the flow.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { compileCheck } from '../../../base/schema/compile-check.ts';
import type { CompiledFlow, CompiledStep } from '../../../language/flow/compiled-flow.ts';
import type { Scalar } from '../../../language/flow/types/type.ts';
import { FIRST_MOMENT } from '../../testkit/virtual-clock.ts';
import { textsFor } from './pattern-texts.ts';
import { relevantVariables, variableOf } from './relevant-variables.ts';

const MAX_BODIES = 24;
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
  const fits = schema ? (body: Json) => compileCheck(schema)(body) === undefined : () => true;
  const { read, constants } = relevantVariables(flow);
  const base = schema ? sampleOf(schema) : {};
  const paths = [...read].filter((path) => path.startsWith(`${prefix}.`)).map((path) => path.slice(prefix.length + 1));
  const valuesAt = new Map<string, Json[]>();
  const isClosed = schema?.['additionalProperties'] === false;
  for (const path of paths.toSorted()) {
    if (isClosed && schemaAt(schema, path) === undefined) continue;
    const full = `${prefix}.${path}`;
    const candidates = candidatesFor(full, flow, schema && schemaAt(schema, path));
    valuesAt.set(path, constants.has(full) ? candidates : candidates.slice(0, 1));
  }
  let bodies: Json[] = [base];
  for (const [path, values] of valuesAt) {
    bodies =
      bodies.length * values.length <= MAX_BODIES
        ? bodies.flatMap((body) => values.map((value) => withValue(body, path, value)))
        : [
            ...bodies.map((body) => withValue(body, path, values[0] ?? null)),
            ...values.slice(1).map((value) => withValue(bodies[0]!, path, value)),
          ];
  }
  if (paths.length === 0 && read.has(prefix)) bodies = candidatesFor(prefix, flow, schema);
  return distinct([...bodies, ...tested])
    .filter(fits)
    .slice(0, MAX_BODIES);
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
  const declared = specs.flatMap(valuesOfSchema);
  const numbers = compared.filter((value) => typeof value === 'number');
  const values: Json[] = [
    ...compared.filter((value) => typeof value !== 'number'),
    ...numbers.flatMap((value) => [value, value + 1, value - 1]),
    ...(compared.some((value) => typeof value === 'boolean') ? [true, false] : []),
    ...declared,
    ...(compared.some((value) => typeof value === 'string') ? [OTHER_TEXT] : []),
  ];
  const all = distinct(values.length === 0 ? ['something', null] : values);
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

export function valuesOfSchema(schema: JsonObject): Json[] {
  const { enum: allowed, const: only, type, minimum, maximum } = schema;
  if (only !== undefined) return [only];
  if (Array.isArray(allowed)) return allowed;
  const types = [type].flat();
  if (types.includes('integer') || types.includes('number')) {
    const least = typeof minimum === 'number' ? minimum : typeof maximum === 'number' ? maximum - 1 : 0;
    return [least + 1, least];
  }
  if (types.includes('boolean')) return [true, false];
  if (types.includes('string')) return [textOf(schema)];
  if (types.includes('array')) return [[isObject(schema['items']) ? sampleOf(schema['items']) : 'something'], []];
  if (types.includes('object')) return [sampleOf(schema)];
  return [];
}

/** Sample value for a schema. It may not match all keywords of the schema. */
export function sampleOf(schema: JsonObject): Json {
  if (schema['type'] !== 'object' && schema['properties'] === undefined)
    return valuesOfSchema(schema)[0] ?? 'something';
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, isObject(inner) ? sampleOf(inner) : 'something']),
  );
}

const textsOfSchema = ({ pattern }: JsonObject): string[] => (typeof pattern === 'string' ? textsFor(pattern) : []);

function textOf({ pattern, minLength = 0, format }: JsonObject): string {
  if (format === 'date') return FIRST_MOMENT.slice(0, 10);
  if (format === 'date-time') return FIRST_MOMENT;
  const least = Number(minLength);
  const texts = [
    'something',
    ...(typeof pattern === 'string' ? textsFor(pattern) : []),
    'x'.repeat(Math.max(1, least)),
    ...usualDigits(1, 16),
  ];
  const regex = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  return texts.find((text) => text.length >= least && (regex?.test(text) ?? true)) ?? 'something';
}

function schemaAt(schema: JsonObject, path: string): JsonObject | undefined {
  let at: Json | undefined = schema;
  for (const key of path.split('.')) {
    if (!isObject(at)) return undefined;
    const next: Json | undefined = isObject(at['properties']) ? at['properties'][key] : undefined;
    at =
      next ??
      (isObject(at['items']) && isObject(at['items']['properties']) ? at['items']['properties'][key] : undefined);
  }
  return isObject(at) ? at : undefined;
}

function withValue(body: Json, path: string, value: Json): Json {
  const [key, ...rest] = path.split('.');
  const map = isObject(body) ? body : {};
  return { ...map, [key!]: rest.length === 0 ? value : withValue(map[key!] ?? {}, rest.join('.'), value) };
}

/** Common inputs for patterns of digits: series, dates, times and small numbers. */
function usualDigits(least: number, most: number): string[] {
  const lengths = [
    least,
    Math.min(most, Math.max(least, 4)),
    ...[1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 16].filter((n) => n >= least && n <= most),
  ];
  const series = [
    '1234567890123456',
    '2222222222222222',
    '0000000000000000',
    '9999999999999999',
    '3112202600000000',
    '1230000000000000',
    '3101000000000000',
  ];
  const long = lengths.flatMap((length) =>
    series.map((each) => each.slice(0, Math.min(length, 16)).padEnd(length, '0')),
  );
  const short = Array.from({ length: 200 }, (_, index) => String(index)).filter(
    ({ length }) => length >= least && length <= most,
  );
  return [...long, ...short];
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
