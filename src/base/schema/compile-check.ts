/**
 * Compiles checks from schemas that users write: variables and inputs of flows, responses of HTTP services, patterns.
 *
 * Invariants
 * - patterns cannot backtrack, no external schema is loaded, and the cost of a schema is limited (`schema-cost.ts`);
 * - no value and no schema makes a function throw.
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { canonical, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { pointerKeys } from './document.ts';
import { linearPattern } from './linear-regex.ts';
import { costProblem } from './schema-cost.ts';
import { wordsOfError } from './schema-words.ts';

type Check = (value: unknown) => string | undefined;

/** ajv emits `new RegExp(…)` through this function, and distinguishes patterns by their `toString`. */
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

/** Compiles a check. It returns `undefined` for a valid value, otherwise a description of the problem. */
export function compileCheck(schema: JsonObject | boolean): Check {
  return compiled(schema).check;
}

/** Check for named values, each with its own schema. */
export function checkByName(
  schemas: Readonly<Record<string, JsonObject>>,
): (name: string, value: unknown) => string | undefined {
  const checks = mapValues(schemas, (schema) => compileCheck(schema));
  return (name, value) => (Object.hasOwn(checks, name) ? checks[name]!(value) : 'is not declared');
}

/** Problem of the schema itself. Undefined if it is valid. */
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

/**
 * A shared ajv instance, dropped with the cache, because an instance keeps all compiled schemas and compiles its own meta-schema.
 */
let sharedInstance: Ajv2020 | undefined;

function newInstance(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, code: { regExp }, logger: false });
  ajvFormats.default(ajv);
  // ajv's own implementation compares every pair of items.
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

/** Schemas of different authors may define the same names, so a schema with names gets its own instance. */
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

/** All schemas are read as JSON Schema 2020-12; the name of another dialect would have to be loaded. */
function withoutDialect(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function inWords(error: ErrorObject): string {
  const at = error.instancePath === '' ? '' : `${pointerKeys(error.instancePath).join('.')} `;
  return `${at}${wordsOfError(error)}`;
}
