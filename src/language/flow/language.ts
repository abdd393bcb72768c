/**
 * The flow language as data for completion, help and graphs: each verb with its outcomes and keys. Built from
 * `schemas/`, reduced to names, descriptions, defaults and allowed words. `graph-language.ts` has the graph data of
 * each verb; `text/language.ts` reads this data.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { readSchema } from '../../base/schema/schema-files.ts';
import { flowSchema, stepSchema, verbSchemas } from '../../base/schema/schema-forms.ts';
import type { VerbSpec } from './compiled-flow.ts';
import { graphLanguageOf } from './graph-language.ts';
import { meaningOf } from './outcome-words.ts';
import type { Language, LanguageKey, LanguageVerb, PickerEntry } from './text/language.ts';
import { describedOutcomes } from './verb-outcomes.ts';

/** Prompts may contain prompts. */
const MAX_DEPTH = 7;
const COPIED = ['description', 'default', 'otherwise', 'enum', 'required', 'code', 'static'] as const;
const LIMITS = [
  ...([
    'pattern',
    'says',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ] as const),
  ...([
    'multipleOf',
    'const',
    'format',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
  ] as const),
];

const definitions: JsonObject = {
  ...(readSchema('components')['$defs'] as JsonObject),
  ...(flowSchema['$defs'] as JsonObject),
};

export function languageOf(verbs: readonly VerbSpec[]): Language {
  const graphVerbs = graphLanguageOf(verbs);
  const described = Object.entries(graphVerbs).map(([verb, graphVerb]): [string, LanguageVerb] => {
    const schema = verbSchemas.get(verb) ?? {};
    const meanings = mapValues(describedOutcomes(verb), meaningOf);
    const found = schema['result'] === undefined ? {} : { result: keyOf(schema['result'], 0) };
    return [
      verb,
      {
        ...graphVerb,
        ...pickerOf(verb, schema, graphVerb.label ?? verb),
        ...(Array.isArray(schema['essentials']) && { essentials: schema['essentials'].map(String) }),
        summary: String(schema['description'] ?? ''),
        meanings,
        schema: keyOf(schema, 0),
        ...found,
      },
    ];
  });
  return { verbs: Object.fromEntries(described), step: keyOf(stepSchema, 0), flow: keyOf(flowSchema, 0) };
}

/** The entry of the list of steps. The names of other systems are search words, too. */
function pickerOf(verb: string, schema: JsonObject, label: string): Pick<LanguageVerb, 'picker'> {
  const written = schema['picker'] as (Omit<PickerEntry, 'name'> & Partial<PickerEntry>) | undefined;
  if (written === undefined) return {};
  const words = [verb.replaceAll('_', ' '), ...((schema['everyday'] ?? []) as string[]), ...(written.words ?? [])];
  return { picker: { name: label[0]!.toUpperCase() + label.slice(1), ...written, words } };
}

/** Resolves references and merges the branches of `anyOf`. */
function keyOf(
  schema: Json,
  depth: number,
  copied: readonly (keyof LanguageKey)[] = [...COPIED, ...LIMITS],
): LanguageKey {
  if (!isObject(schema)) return {};
  const key: LanguageKey = {};
  for (const part of [schema, ...branchesOf(schema, 0)]) {
    for (const name of copied) if (part[name] !== undefined) key[name] ??= part[name] as never;
    const types = new Set([key.type ?? [], (part['type'] ?? []) as string | string[]].flat());
    if (types.size > 0) key.type = types.size === 1 ? [...types][0]! : [...types];
    if (depth >= MAX_DEPTH) continue;
    const { properties } = part;
    if (isObject(properties)) {
      const limits = limitsIn(properties);
      key.properties = { ...mapValues(properties, (inner) => keyOf(inner, depth + 1, limits)), ...key.properties };
    }
    if (isObject(part['items'])) key.items ??= keyOf(part['items'], depth + 1);
    if (part['additionalProperties'] === false && copied.includes('says')) key.closed = true;
    if (isObject(part['propertyNames'])) key.names ??= keyOf(part['propertyNames'], depth + 1);
    if (isObject(part['additionalProperties'])) key.values ??= keyOf(part['additionalProperties'], depth + 1);
  }
  return key;
}

/** The parts of a prompt occur at every prompt, and no form edits them one by one: they have no limits. */
const limitsIn = (properties: JsonObject): readonly (keyof LanguageKey)[] =>
  'ssml' in properties && !('prompt' in properties) ? COPIED : [...COPIED, ...LIMITS];

/** Schemas that a schema refers to or may be, resolved recursively. */
function branchesOf(schema: JsonObject, depth: number): JsonObject[] {
  if (depth >= MAX_DEPTH) return [];
  const { $ref, anyOf } = schema;
  const named = typeof $ref === 'string' ? [definitions[$ref.split('/').at(-1)!] ?? null] : [];
  const next = [...named, ...(Array.isArray(anyOf) ? anyOf : [])].filter(isObject);
  return next.flatMap((branch) => [branch, ...branchesOf(branch, depth + 1)]);
}
