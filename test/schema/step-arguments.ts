/**
 * Makes `src/steps/step-arguments.ts`, the types of the arguments that steps are given, of `schemas/verbs`: the long form,
 * in which whatever has a default is there. `npm run -s types > src/steps/step-arguments.ts` writes it anew.
 */
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { readSchema } from '../../src/schema/schema-files.ts';
import { verbSchemas } from '../../src/schema/schema-forms.ts';

const shared = readSchema('components')['$defs'] as JsonObject;
/** Prompts are resolved by the flow, which takes all their forms. */
const UNTYPED = ['prompt', 'promptItem', 'promptObject', 'prompts'];

const refName = (schema: JsonObject): string | undefined =>
  typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;

function resolved(schema: JsonObject): JsonObject {
  const name = refName(schema);
  if (name === undefined) return schema;
  const { $ref: _, ...own } = schema;
  return { ...resolved(shared[name] as JsonObject), ...own };
}

function typeOf(schema: JsonObject, indent: string): string {
  const name = refName(schema);
  if (name !== undefined) return UNTYPED.includes(name) ? 'Json' : typeOf(resolved(schema), indent);
  const { enum: values, anyOf: forms, type, items, additionalProperties: each } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  if (Array.isArray(forms)) return [...new Set(forms.map((form) => typeOf(form as JsonObject, indent)))].join(' | ');
  if (type === 'integer') return 'number';
  if (type === 'array') return arrayOf(typeOf(isObject(items) ? items : {}, indent));
  if (type !== 'object') return typeof type === 'string' ? type : 'Json';
  if (isObject(schema['properties'])) return mapOf(schema, indent);
  return isObject(each) && Object.keys(each).length > 0 ? `Record<string, ${typeOf(each, indent)}>` : 'JsonObject';
}

const arrayOf = (item: string): string => (item.includes('|') ? `(${item})[]` : `${item}[]`);

function mapOf({ properties, required }: JsonObject, indent: string): string {
  const needed = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties as JsonObject).map(([key, property]) => {
    const isThere = needed.includes(key) || resolved(property as JsonObject)['default'] !== undefined;
    return `${indent}  ${key}${isThere ? '' : '?'}: ${typeOf(property as JsonObject, `${indent}  `)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const isMap = (form: Json): boolean => isObject(resolved(form as JsonObject)['properties']);

/** Verbs that take a map; the others read what they are given by themselves. */
export function stepArguments(): string {
  const types = [...verbSchemas].flatMap(([verb, schema]) => {
    const forms = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [schema];
    const map = forms.find(isMap);
    if (map === undefined) return [];
    const name = verb.replace(/(^|_)[a-z]/g, (letter) => letter.at(-1)!.toUpperCase());
    return [`export type ${name}Args = ${mapOf(resolved(map as JsonObject), '')};\n`];
  });
  return [
    '/** The arguments of verbs. Made of schemas/verbs by `npm run types`: edit those, then make it again. */',
    "import type { Json, JsonObject } from '../core/json.ts';\n",
    ...types,
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) process.stdout.write(stepArguments());
