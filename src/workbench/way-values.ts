/**
 * Values that affect the path of a flow: constants in its conditions and values allowed by the schemas of its
 * variables. Digits and response bodies are built from them. Constants are found by patterns in the text of
 * expressions; other values are guessed from their type. Pure.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';

const MAX_BODIES = 16;
const MAX_DIGITS = 6;
const LITERAL = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null)`;
const PATH = String.raw`((?:\.[A-Za-z_]\w*)+)`;

/** Digits to press, with the terminator if it is needed. */
export function digitsFor(step: CompiledStep, flow: CompiledFlow): string[] {
  const rules = isObject(step.args) && isObject(step.args['digits']) ? step.args['digits'] : {};
  const { length, min = 1, max = 32, terminator = '#' } = rules;
  const least = Number(length ?? min);
  const most = Number(length ?? max);
  const wanted = [
    ...comparedWith(`steps.${step.name}.digits`, flow),
    ...variablesSetFrom(step, 'digits').flatMap((name) => valuesOf(name, flow)),
  ];
  const usual = Array.from({ length: Math.max(least, Math.min(4, most)) }, (_, index) => String((index + 1) % 10));
  const digits = [...wanted.map(String), usual.join('')].filter(
    (each) => /^[0-9*]+$/.test(each) && each.length >= least && each.length <= most,
  );
  return [...new Set(digits)].slice(0, MAX_DIGITS).map((each) => (each.length < most ? `${each}${terminator}` : each));
}

/** Response bodies for the request of a step: a likely first one, and others that differ from it in one value. */
export function bodiesFor(step: CompiledStep, flow: CompiledFlow): JsonObject[] {
  const fields = new Map<string, Json[]>();
  const add = (path: string, values: readonly Json[]): void => {
    fields.set(path, [...new Set([...(fields.get(path) ?? []), ...values])]);
  };
  for (const [name, source] of setsOf(step)) {
    for (const [, path] of source.matchAll(new RegExp(String.raw`\bresult\.body${PATH}`, 'g')))
      add(path!, valuesOf(name, flow));
  }
  for (const source of sourcesOf(flow)) {
    for (const [, path] of source.matchAll(new RegExp(String.raw`\bsteps\.${step.name}\.body${PATH}`, 'g')))
      add(path!, comparedWith(`steps.${step.name}.body${path}`, flow));
  }
  const bodyWith = (chosen: ReadonlyMap<string, Json>): JsonObject => {
    const body: JsonObject = {};
    for (const [path, values] of fields) put(body, path, chosen.get(path) ?? values[0] ?? 'something');
    return body;
  };
  const others = [...fields].flatMap(([path, values]) =>
    values.slice(1).map((value) => bodyWith(new Map([[path, value]]))),
  );
  return [bodyWith(new Map()), ...others].slice(0, MAX_BODIES);
}

/** Sample values for the inputs without a default. */
export const inputsOf = ({ input }: CompiledFlow): JsonObject =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, { schema, default: value }]): [string, Json][] =>
      value === undefined ? [[name, valuesOfSchema(schema)[0] ?? 'something']] : [],
    ),
  );

/** Constants that a variable is compared with, then values that its schema allows. */
const valuesOf = (name: string, flow: CompiledFlow): Json[] => [
  ...comparedWith(`vars.${name}`, flow),
  ...valuesOfSchema(flow.vars[name]?.schema),
];

function valuesOfSchema(schema: JsonObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { enum: allowed, const: only, type, minimum } = schema;
  if (only !== undefined) return [only];
  if (Array.isArray(allowed)) return allowed;
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('integer') || types.includes('number')) {
    const least = typeof minimum === 'number' ? minimum : 0;
    return [least + 1, least, least + 2];
  }
  if (types.includes('boolean')) return [true, false];
  if (types.includes('array')) return [[]];
  if (types.includes('object')) return [{}];
  return ['something'];
}

/** Literals that a path is compared with; for a number also the number ±1. */
function comparedWith(path: string, flow: CompiledFlow): Json[] {
  const escaped = path.replaceAll('.', String.raw`\.`);
  const compared = new RegExp(String.raw`\b${escaped}\b\s*(?:=|!=|<=|>=|<|>)\s*${LITERAL}`, 'g');
  const reversed = new RegExp(String.raw`${LITERAL}\s*(?:=|!=|<=|>=|<|>)\s*${escaped}\b`, 'g');
  const values = new Set<Json>();
  for (const source of sourcesOf(flow)) {
    for (const pattern of [compared, reversed]) {
      for (const [, literal] of source.matchAll(pattern)) {
        const value = readLiteral(literal!);
        values.add(value);
        if (typeof value === 'number') for (const by of [1, -1]) values.add(value + by);
      }
    }
  }
  return [...values];
}

function readLiteral(literal: string): Json {
  if (/^['"]/.test(literal)) return literal.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return JSON.parse(literal) as Json;
}

const variablesSetFrom = (step: CompiledStep, key: string): string[] =>
  setsOf(step).flatMap(([name, source]) => (source.includes(`result.${key}`) ? [name] : []));

const setsOf = ({ set = {} }: CompiledStep): [name: string, source: string][] =>
  Object.entries(set).map(([name, { source }]) => [name, JSON.stringify(source)]);

const known = new WeakMap<CompiledFlow, string[]>();

/** All strings of a flow that may contain expressions. */
function sourcesOf(flow: CompiledFlow): readonly string[] {
  let sources = known.get(flow);
  if (sources === undefined) {
    sources = [...flow.steps.values()].flatMap((step) => [
      ...textsIn(step.args),
      ...setsOf(step).map(([, source]) => source),
      ...(step.when === undefined ? [] : [step.when.source]),
    ]);
    known.set(flow, sources);
  }
  return sources;
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function put(body: JsonObject, path: string, value: Json): void {
  const keys = path.split('.').slice(1);
  let at = body;
  for (const key of keys.slice(0, -1)) {
    if (!isObject(at[key])) at[key] = {};
    at = at[key] as JsonObject;
  }
  const last = keys.at(-1)!;
  if (!isObject(at[last])) at[last] = value;
}
