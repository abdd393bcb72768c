/**
 * Liberal in what is taken: before a body is checked against its schema, values that only have the wrong clothes on are
 * changed into the documented type: numbers and booleans that came as strings, strings that came as numbers, enum words
 * in other case. What does not fit stays as it is, for the check to refuse it.
 */
import type { Json, JsonObject } from '../core/json.ts';

/** The part of JSON Schema that this reads. */
export interface ShapeSchema {
  type?: string | readonly string[];
  enum?: readonly Json[];
  properties?: Readonly<Record<string, ShapeSchema>>;
  items?: ShapeSchema;
  $ref?: string;
  $defs?: Readonly<Record<string, ShapeSchema>>;
}

/** A copy of `value`. Properties that are null or empty say nothing, and are left out. */
export function coerce(value: Json, schema: ShapeSchema, root: ShapeSchema = schema): Json {
  const shape = resolve(schema, root);
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? []);
  if (Array.isArray(value)) return shape.items ? value.map((item) => coerce(item, shape.items!, root)) : value;
  if (typeof value === 'object' && value !== null) return coerceObject(value, shape, root);
  if (types.length === 0 || types.includes(typeof value))
    return typeof value === 'string' ? wordOf(value, shape) : value;
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
  for (const [key, inner] of Object.entries(value)) {
    const inside = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (inside && (inner === null || inner === '')) continue;
    made[key] = inside ? coerce(inner, inside, root) : inner;
  }
  return made;
}

/** The enum word that this is in another case. */
function wordOf(value: string, { enum: words }: ShapeSchema): Json {
  if (!words || words.includes(value)) return value;
  const lower = value.trim().toLowerCase();
  return words.find((word) => typeof word === 'string' && word.toLowerCase() === lower) ?? value;
}

function resolve(schema: ShapeSchema, root: ShapeSchema): ShapeSchema {
  const name = schema.$ref?.startsWith('#/$defs/') ? schema.$ref.slice('#/$defs/'.length) : undefined;
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}
