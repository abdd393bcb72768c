/**
 * The JSON Schemas of verbs and of `schemas/`, in two forms: `written` for source texts, in which a scalar or a whole value may be a
 * template `${ … }`, and `strict` for rendered values.
 *
 * `anyOf` becomes a switch on the type, so that errors are reported for the intended branch only; the branches of an
 * `anyOf` must therefore differ in `type`. Additional annotations: `says` (error message), `code` (error code),
 * `static` (no templates), `templates` (allowed despite `static` above), `inputDefaults` (the flow's `defaults.input`
 * apply to this verb), `short` (key of a value that is not a map), `otherwise` (description of a default that is not a
 * constant). `schemas/verb.schema.json` describes the keywords of verbs.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { readSchema, readVerbSchemas } from './schema-files.ts';

export type SchemaForm = 'written' | 'strict';

/** Keywords of verbs and of their arguments, in addition to those of JSON Schema. */
const described = readSchema('verb') as { properties: JsonObject; $defs: { argument: { properties: JsonObject } } };
const OF_JSON_SCHEMA = ['title', 'description', 'properties', 'items', 'anyOf', 'additionalProperties'];
/** Keywords that validators do not need. */
export const UNCHECKED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$defs', 'static', 'templates', 'inputDefaults', 'short', 'otherwise', 'result'],
  ...[described.properties, described.$defs.argument.properties]
    .flatMap((keywords) => Object.keys(keywords))
    .filter((keyword) => !OF_JSON_SCHEMA.includes(keyword)),
]);

const SHARED = ['components', 'flow'] as const;

const shared: Readonly<Record<string, JsonObject>> = Object.fromEntries(SHARED.map((name) => [name, readSchema(name)]));
export const stepSchema = readSchema('step');
export const flowSchema = shared['flow']!;

/** Argument schemas, by verb. */
export const verbSchemas: ReadonlyMap<string, JsonObject> = new Map(readVerbSchemas());

/** Expands short arguments: for `play`, `welcome` becomes `{ prompt: welcome }`. Null becomes an empty map. */
export function longForm(verb: string, args: Json): Json {
  if (isObject(args)) return args;
  if (args === null) return {};
  const short = verbSchemas.get(verb)?.['short'];
  return typeof short === 'string' ? { [short]: args } : args;
}

/** Id of a schema for `$id` and `$ref`. Absolute, because some names contain folders. */
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

/** `home` is the file that `#/…` refers to. `lazy` names keys that stay as written in the strict form. */
export function schemaInForm(schema: Json, form: SchemaForm, home: string, lazy: readonly string[] = []): Json {
  if (!isObject(schema)) return schema;
  const as: SchemaForm = schema['static'] === true ? 'strict' : schema['templates'] === true ? 'written' : form;
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (UNCHECKED_KEYWORDS.has(key)) continue;
    switch (key) {
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
  // ajv only applies defaults in the schema of the property itself.
  return made['default'] === undefined ? template : { default: made['default'], ...template };
}

/** Default of the schema, or else the first one in its chain of `$ref`. */
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
  // Reports a bare number with the message of the text branch, which was probably meant.
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

/** End of a chain of `$ref`, or the first schema in it with a type, together with its file. */
function resolveReference(schema: Json, home: string): { schema: JsonObject; home: string } {
  if (!isObject(schema)) throw new Error('a branch of anyOf is not a schema');
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || schema['type'] !== undefined) return { schema, home };
  const next = referred(ref, home);
  return resolveReference(next.schema, next.home);
}

/** Schema that a `$ref` in the file `home` refers to, together with its file. */
export function referred(ref: string, home: string): { schema: JsonObject; home: string } {
  const file = refFile(ref, home);
  const definitions = shared[file]!['$defs'] as JsonObject;
  return { schema: definitions[ref.slice(ref.lastIndexOf('/') + 1)] as JsonObject, home: file };
}

const refFile = (ref: string, home: string): string =>
  ref.startsWith('#') ? home : ref.slice(0, ref.indexOf('.schema.json')).replace(/^.*\//, '');
