/**
 * The JSON Schemas of `schemas/`, in the two forms they are used in: `written` for what an author wrote, where a scalar,
 * or a whole value, may be a template `${ … }`; `strict` for what came out of the templates.
 *
 * `anyOf` becomes a switch by type, so that a mistake is reported by the one branch that was meant; branches of one
 * `anyOf` therefore differ in their `type`. Annotations of ours: `says` (the message of a mistake), `code` (its code),
 * `static` (no templates here), `templates` (they are taken here all the same), `inputDefaults` (the flow's
 * `defaults.input` apply to this verb), `short` (the key that a value that is not the map of a verb stands for),
 * `otherwise` (a default that is not a constant, in words), `outcomes` (`schemas/verb.schema.json` has their form).
 */
import { readdirSync } from 'node:fs';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { readSchema, SCHEMAS } from './schema-files.ts';

export type SchemaForm = 'written' | 'strict';

const SHARED = ['components', 'flow'] as const;

const shared: Readonly<Record<string, JsonObject>> = Object.fromEntries(SHARED.map((name) => [name, readSchema(name)]));
export const stepSchema = readSchema('step');
export const flowSchema = shared['flow']!;

/** Schemas of arguments by verb. */
export const verbSchemas: ReadonlyMap<string, JsonObject> = new Map(
  readdirSync(new URL('verbs/', SCHEMAS))
    .filter((name) => name.endsWith('.schema.json'))
    .sort()
    .map((name) => name.slice(0, -'.schema.json'.length))
    .map((verb) => [verb, readSchema(`verbs/${verb}`)]),
);

/** Arguments that were written short: `welcome` is `{ prompt: welcome }` for `play`, and nothing is an empty map. */
export function longForm(verb: string, args: Json): Json {
  if (isObject(args)) return args;
  if (args === null) return {};
  const short = verbSchemas.get(verb)?.['short'];
  return typeof short === 'string' ? { [short]: args } : args;
}

/** Where a schema is found, for `$id` and `$ref`: from the root, because the names of some have folders in them. */
export const schemaId = (name: string, form: SchemaForm): string => `/${name}-${form}`;

/** Names under which the shared schemas are registered: `/components-written` … */
export function sharedForms(): [name: string, schema: JsonObject][] {
  return SHARED.flatMap((name) =>
    (['written', 'strict'] as const).map((form): [string, JsonObject] => [
      schemaId(name, form),
      { $defs: mapValues(shared[name]!['$defs'] as JsonObject, (schema) => schemaInForm(schema, form, name)) },
    ]),
  );
}

/** `home` is the file that `#/…` refers to; `lazy` names keys that stay as written in the strict form. */
export function schemaInForm(schema: Json, form: SchemaForm, home: string, lazy: readonly string[] = []): Json {
  if (!isObject(schema)) return schema;
  const as: SchemaForm = schema['static'] === true ? 'strict' : schema['templates'] === true ? 'written' : form;
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    switch (key) {
      case '$schema':
      case '$defs':
      case 'static':
      case 'templates':
      case 'examples':
      case 'inputDefaults':
      case 'short':
      case 'otherwise':
      case 'result':
      case 'outcomes':
        break;
      case '$ref':
        made['default'] = defaultOf(schema, home)!;
        made[key] =
          schemaId(refFile(value as string, home), as) + (value as string).slice((value as string).indexOf('#'));
        break;
      case 'anyOf':
        Object.assign(made, typeSwitch(value as Json[], as, home, lazy));
        break;
      case 'properties':
        made[key] = mapValues(value as JsonObject, (property, name) =>
          schemaInForm(property, lazy.includes(name) && schema['static'] !== true ? 'written' : as, home),
        );
        break;
      case 'items':
      case 'additionalProperties':
        made[key] = schemaInForm(value, as, home);
        break;
      case 'propertyNames':
        made[key] = schemaInForm(value, 'strict', home);
        break;
      default:
        made[key] = value;
    }
  }
  if (made['default'] === undefined) delete made['default'];
  const free = !['type', '$ref', 'if', 'enum', 'pattern'].some((key) => key in made);
  if (as === 'strict' || free) return made;
  const template = conditional({ type: 'string', pattern: '\\$\\{' }, true, made);
  // Defaults are looked for in the schema of a property itself.
  return made['default'] === undefined ? template : { default: made['default'], ...template };
}

/** Its own, or that of the first schema with one that its chain of `$ref` leads to. */
function defaultOf(schema: JsonObject, home: string): Json | undefined {
  const ref = schema['$ref'];
  if (schema['default'] !== undefined || typeof ref !== 'string' || !shared[refFile(ref, home)])
    return schema['default'];
  const next = referred(ref, home);
  return defaultOf(next.schema, next.home);
}

/** `if`, `then`, `else`. */
function conditional(condition: JsonObject, matched: Json, otherwise: Json): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', matched],
    ['else', otherwise],
  ]);
}

function typeSwitch(branches: Json[], form: SchemaForm, home: string, lazy: readonly string[]): JsonObject {
  const types = branches.map((branch) => typeOf(branch, home));
  // What a text would have been says what a bare number was meant to be.
  const code = branches.map((branch) => resolveReference(branch, home).schema).find(({ type }) => type === 'string')?.[
    'code'
  ];
  let chain: JsonObject = { type: types, ...(code === undefined ? {} : { code }) };
  for (let index = branches.length - 1; index >= 0; index -= 1) {
    chain = conditional({ type: types[index]! }, schemaInForm(branches[index]!, form, home, lazy), chain);
  }
  return chain;
}

function typeOf(schema: Json, home: string): string {
  const { type } = resolveReference(schema, home).schema;
  if (typeof type !== 'string') throw new Error('a branch of anyOf has no type');
  return type;
}

/** The schema that a chain of `$ref` leads to, or up to one that has a type beside it, and the file it is in. */
function resolveReference(schema: Json, home: string): { schema: JsonObject; home: string } {
  if (!isObject(schema)) throw new Error('a branch of anyOf is not a schema');
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || schema['type'] !== undefined) return { schema, home };
  const next = referred(ref, home);
  return resolveReference(next.schema, next.home);
}

/** The schema that a `$ref` in the file `home` names, and the file it is in. */
export function referred(ref: string, home: string): { schema: JsonObject; home: string } {
  const file = refFile(ref, home);
  const definitions = shared[file]!['$defs'] as JsonObject;
  return { schema: definitions[ref.slice(ref.lastIndexOf('/') + 1)] as JsonObject, home: file };
}

const refFile = (ref: string, home: string): string =>
  ref.startsWith('#') ? home : ref.slice(0, ref.indexOf('.schema.json')).replace(/^.*\//, '');
