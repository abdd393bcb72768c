/**
 * Lenient parsing: before a body is validated, aliases of keys are replaced, and values of the wrong form are converted
 * to the documented type: numbers and booleans in strings, strings sent as numbers, enum words in another case. Values
 * that cannot be converted are kept, and validation rejects them.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';

/** Subset of JSON Schema, with additional annotations. */
export interface ShapeSchema {
  type?: string | readonly string[];
  enum?: readonly Json[];
  properties?: Readonly<Record<string, ShapeSchema>>;
  items?: ShapeSchema;
  $ref?: string;
  $defs?: Readonly<Record<string, ShapeSchema>>;
  /** Alternative names, used if the key itself is missing. */
  aliases?: readonly string[];
  /** True if surrounding white space is removed. */
  trim?: boolean;
}

/** Returns a converted copy. Null and empty properties are omitted, or null where null removes a setting. */
export function coerce(value: Json, schema: ShapeSchema, root: ShapeSchema = schema): Json {
  const shape = resolve(schema, root);
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? []);
  if (Array.isArray(value)) return shape.items ? value.map((item) => coerce(item, shape.items!, root)) : value;
  if (typeof value === 'object' && value !== null) return coerceObject(value, shape, root);
  if (types.length === 0 || types.includes(typeof value))
    return typeof value === 'string' ? wordOf(shape.trim ? value.trim() : value, shape) : value;
  if (typeof value === 'string') {
    const text = value.trim();
    if (types.includes('number') && /^-?\d{1,15}(\.\d{1,10})?$/.test(text)) return Number(text);
    if (types.includes('integer') && /^-?\d{1,15}$/.test(text)) return Number(text);
    if (types.includes('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  }
  if (typeof value === 'number' && types.includes('string')) return String(value);
  return value;
}

function coerceObject(value: JsonObject, shape: ShapeSchema, root: ShapeSchema): JsonObject {
  const { properties } = shape;
  if (!properties) return value;
  const made: JsonObject = {};
  for (const [key, inner] of Object.entries(withoutAliases(value, properties))) {
    const inside = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const coerced = inside ? coerce(inner, inside, root) : inner;
    if (!inside || (coerced !== null && coerced !== '')) made[key] = coerced;
    else if (inside.type?.includes('null')) made[key] = null;
  }
  return made;
}

function withoutAliases(value: JsonObject, properties: Readonly<Record<string, ShapeSchema>>): JsonObject {
  const renamed = { ...value };
  for (const [alias, name] of aliasesOf(properties)) {
    if (!Object.hasOwn(renamed, alias)) continue;
    renamed[name] ??= renamed[alias]!;
    delete renamed[alias];
  }
  return renamed;
}

const aliases = new WeakMap<object, [alias: string, name: string][]>();

/** Cached by schema, because few keys have aliases. */
function aliasesOf(properties: Readonly<Record<string, ShapeSchema>>): [alias: string, name: string][] {
  const known = aliases.get(properties);
  if (known) return known;
  const found = Object.entries(properties).flatMap(([name, each]) =>
    (each.aliases ?? []).map((alias): [string, string] => [alias, name]),
  );
  aliases.set(properties, found);
  return found;
}

/** Enum word that matches in another case. */
function wordOf(value: string, { enum: words }: ShapeSchema): Json {
  if (!words || words.includes(value)) return value;
  const lower = value.trim().toLowerCase();
  return words.find((word) => typeof word === 'string' && word.toLowerCase() === lower) ?? value;
}

function resolve(schema: ShapeSchema, root: ShapeSchema): ShapeSchema {
  const name = schema.$ref?.startsWith('#/$defs/') ? schema.$ref.slice('#/$defs/'.length) : undefined;
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}
