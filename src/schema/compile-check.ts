/**
 * Checks made of schemas that others write: variables and inputs of flows, answers of HTTP services, patterns.
 *
 * Invariants
 *  - patterns cannot backtrack, nothing is loaded from elsewhere, and what a schema costs is bounded (`schema-cost.ts`);
 *  - nothing throws because of a value or of a schema.
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { quoting } from '../core/diagnostic.ts';
import { canonical, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { pointerKeys } from './document.ts';
import { listed } from './issues.ts';
import { linearPattern } from './linear-regex.ts';
import { costProblem } from './schema-cost.ts';

type Check = (value: unknown) => string | undefined;

/** ajv writes `new RegExp(…)` through this, and distinguishes patterns by their `toString`. */
export const regExp = Object.assign(
  (pattern: string, flags: string) => ({
    ...linearPattern(pattern, flags.replace('u', '')),
    toString: () => `/${pattern}/${flags}`,
  }),
  { code: 'linearPattern' },
);

const MAX_SCHEMAS = 500;
const MAX_SCHEMA_LENGTH = 100_000;
const compiledSchemas = new Map<string, { check: Check; problem?: string }>();

/** Makes a check of a schema: `undefined` for a value that fits, else what is wrong in words. */
export function compileCheck(schema: JsonObject | boolean): Check {
  return compiled(schema).check;
}

/** A check of values that have names, each with its own schema. */
export function checkByName(
  schemas: Readonly<Record<string, JsonObject>>,
): (name: string, value: unknown) => string | undefined {
  const checks = mapValues(schemas, (schema) => compileCheck(schema));
  return (name, value) => (Object.hasOwn(checks, name) ? checks[name]!(value) : 'is not declared');
}

/** What is wrong with a schema itself. */
export function schemaProblem(schema: JsonObject | boolean): string | undefined {
  return compiled(schema).problem;
}

function compiled(schema: JsonObject | boolean): { check: Check; problem?: string } {
  const text = JSON.stringify(schema);
  const known = compiledSchemas.get(text);
  if (known !== undefined) return known;
  const made = compileUncached(schema, text);
  if (compiledSchemas.size >= MAX_SCHEMAS) {
    compiledSchemas.clear();
    sharedInstance = undefined;
  }
  compiledSchemas.set(text, made);
  return made;
}

/** An instance keeps what it compiled, and makes its meta-schema anew: shared, and dropped with the cache. */
let sharedInstance: Ajv2020 | undefined;

function newInstance(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, code: { regExp }, logger: false });
  ajvFormats.default(ajv);
  // The library compares each pair.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (unique: boolean, items: Json[]) => !unique || new Set(items.map(canonical)).size === items.length,
  });
  return ajv;
}

/** Names inside schemas of different authors must not meet. */
function instanceFor(text: string): Ajv2020 {
  if (/"\$(id|anchor|dynamicAnchor)"/.test(text)) return newInstance();
  sharedInstance ??= newInstance();
  return sharedInstance;
}

function compileUncached(schema: JsonObject | boolean, text: string): { check: Check; problem?: string } {
  const refuse = (problem: string) => ({ problem, check: () => `the schema cannot be used: ${problem}` });
  if (text.length > MAX_SCHEMA_LENGTH) return refuse('it is too long');
  try {
    const costly = costProblem(schema);
    if (costly !== undefined) return refuse(costly);
    const validate = instanceFor(text).compile(withoutDialect(schema));
    return {
      check(value) {
        try {
          if (validate(value)) return undefined;
        } catch (error) {
          return `the schema cannot be applied: ${(error as Error).message}`;
        }
        const first = validate.errors?.[0];
        return first === undefined ? 'does not fit' : inWords(first);
      },
    };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Every schema is read as one of JSON Schema 2020-12; another dialect's name would have to be loaded. */
function withoutDialect(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function inWords(error: ErrorObject): string {
  const at = error.instancePath === '' ? '' : `${pointerKeys(error.instancePath).join('.')} `;
  if (error.keyword === 'additionalProperties')
    return `${at}has the unknown key ${quoting`${error.params['additionalProperty']}`}`;
  if (error.keyword === 'enum') return `${at}must be one of ${listed(error.params['allowedValues'])}`;
  return `${at}${error.message ?? 'does not fit'}`;
}
