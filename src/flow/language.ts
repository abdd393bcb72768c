/**
 * The language as data, for completion, help and graphs: each verb with its outcomes and its keys. Made of `schemas/`, cut
 * to what a person reads: names, descriptions, defaults and words to choose from. Neighbour: `graph-language.ts`, of which
 * each verb here has all.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { readSchema } from '../schema/schema-files.ts';
import { flowSchema, stepSchema, verbSchemas } from '../schema/schema-forms.ts';
import type { VerbSpec } from './compiled-flow.ts';
import type { GraphVerb } from './graph.ts';
import { graphLanguageOf } from './graph-language.ts';

export interface Language {
  verbs: Readonly<Record<string, LanguageVerb>>;
  /** What stands beside the verb. */
  step: LanguageKey;
  flow: LanguageKey;
}

export interface LanguageVerb extends GraphVerb {
  summary: string;
  /** When each outcome is possible, by its name. */
  meanings: Readonly<Record<string, string>>;
  schema: LanguageKey;
}

/** A value: what it is for, and what may be in it. */
export interface LanguageKey {
  description?: string;
  default?: Json;
  /** A default that is not a constant, in words. */
  otherwise?: string;
  /** The words to choose from. */
  enum?: Json[];
  type?: string | string[];
  required?: Json;
  properties?: Record<string, LanguageKey>;
  items?: LanguageKey;
  /** Of each key that the author names. */
  values?: LanguageKey;
}

/** Prompts hold prompts. */
const MAX_DEPTH = 7;
const COPIED = ['description', 'default', 'otherwise', 'enum', 'required'] as const;

const definitions: JsonObject = {
  ...(readSchema('components')['$defs'] as JsonObject),
  ...(flowSchema['$defs'] as JsonObject),
};

export function languageOf(verbs: readonly VerbSpec[]): Language {
  const graphVerbs = graphLanguageOf(verbs);
  const described = Object.entries(graphVerbs).map(([verb, graphVerb]): [string, LanguageVerb] => {
    const schema = verbSchemas.get(verb) ?? {};
    const { outcomes, description } = schema;
    const meanings = (isObject(outcomes) ? outcomes : {}) as Record<string, string>;
    return [verb, { ...graphVerb, summary: String(description ?? ''), meanings, schema: keyOf(schema, 0) }];
  });
  return { verbs: Object.fromEntries(described), step: keyOf(stepSchema, 0), flow: keyOf(flowSchema, 0) };
}

/** References are written out, and the branches of `anyOf` are one. */
function keyOf(schema: Json, depth: number): LanguageKey {
  if (!isObject(schema)) return {};
  const key: LanguageKey = {};
  for (const part of [schema, ...branchesOf(schema, 0)]) {
    for (const name of COPIED) if (part[name] !== undefined) key[name] ??= part[name] as never;
    const types = new Set([key.type ?? [], (part['type'] ?? []) as string | string[]].flat());
    if (types.size > 0) key.type = types.size === 1 ? [...types][0]! : [...types];
    if (depth >= MAX_DEPTH) continue;
    for (const [name, inner] of Object.entries(isObject(part['properties']) ? part['properties'] : {})) {
      key.properties ??= {};
      key.properties[name] ??= keyOf(inner, depth + 1);
    }
    if (isObject(part['items'])) key.items ??= keyOf(part['items'], depth + 1);
    if (isObject(part['additionalProperties'])) key.values ??= keyOf(part['additionalProperties'], depth + 1);
  }
  return key;
}

/** What a schema refers to, or may be: references of references included. */
function branchesOf(schema: JsonObject, depth: number): JsonObject[] {
  if (depth >= MAX_DEPTH) return [];
  const { $ref, anyOf } = schema;
  const named = typeof $ref === 'string' ? [definitions[$ref.split('/').at(-1)!] ?? null] : [];
  const next = [...named, ...(Array.isArray(anyOf) ? anyOf : [])].filter(isObject);
  return next.flatMap((branch) => [branch, ...branchesOf(branch, depth + 1)]);
}
