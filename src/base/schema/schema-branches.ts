/**
 * Schemas at a position in the arguments of a verb: one branch for each accepted kind of value. `schema-forms.ts`
 * compiles the same schemas; used by `language/flow/argument-places.ts`.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { pointerKeys } from './document.ts';
import { referred, verbSchemas } from './schema-forms.ts';

/** `home`: the file that `#/…` refers to. */
export interface SchemaBranch {
  schema: JsonObject;
  home: string;
}

const resolved = new WeakMap<JsonObject, readonly SchemaBranch[]>();

/** Resolves `$ref` and `anyOf` to the schemas behind them; once for each schema, because each belongs to one file. */
export function branchesOf(schema: Json | undefined, home: string): readonly SchemaBranch[] {
  if (!isObject(schema)) return [];
  const branches = resolved.get(schema) ?? resolveBranches(schema, home);
  resolved.set(schema, branches);
  return branches;
}

function resolveBranches(schema: JsonObject, home: string): readonly SchemaBranch[] {
  const { $ref: ref, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((branch) => branchesOf(branch, home));
  if (typeof ref !== 'string' || schema['type'] !== undefined) return [{ schema, home }];
  const next = referred(ref, home);
  return branchesOf(next.schema, next.home);
}

/** Branches of an item or a property. Empty if the schema does not define it. */
export const branchesBelow = (branches: readonly SchemaBranch[], key: string): readonly SchemaBranch[] =>
  branches.flatMap(({ schema, home }) => {
    const { items, properties, additionalProperties } = schema;
    if (schema['type'] === 'array') return /^\d+$/.test(key) ? branchesOf(items, home) : [];
    const isKnown = isObject(properties) && Object.hasOwn(properties, key);
    return branchesOf(isKnown ? properties[key] : additionalProperties, home);
  });

/** Branches of an argument, by its JSON pointer below the arguments of the verb. */
export const branchesAt = (verb: string, pointer: string): readonly SchemaBranch[] =>
  pointerKeys(pointer).reduce(branchesBelow, branchesOf(verbSchemas.get(verb), 'verb'));

/** Accepted types of a branch. Undefined if it accepts any. */
export function typesOf({ schema }: SchemaBranch): readonly string[] | undefined {
  const { type, enum: listed } = schema;
  if (type !== undefined) return [type].flat().map(String);
  return Array.isArray(listed) && listed.every((value) => typeof value === 'string') ? ['string'] : undefined;
}

/** True if the arguments are not valid without a value at this pointer, or if it is an item of a list. */
export function isRequiredAt(verb: string, pointer: string): boolean {
  const keys = pointerKeys(pointer);
  const key = keys.at(-1);
  if (key === undefined || /^\d+$/.test(key)) return true;
  const above = pointer.slice(0, pointer.lastIndexOf('/'));
  return branchesAt(verb, above).some(({ schema: { required } }) => Array.isArray(required) && required.includes(key));
}
