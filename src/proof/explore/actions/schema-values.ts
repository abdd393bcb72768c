/**
 * Values that a JSON Schema allows: the most likely first; each other value differs from it in one place. Lists have
 * one, no and two items, optional properties are present and absent, and nullable values are null. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { FIRST_MOMENT } from '../../testkit/virtual-clock.ts';
import { textsFor } from './pattern-texts.ts';
import { usualDigits } from './usual-digits.ts';

/** Nesting below which lists are empty and optional properties absent, because a schema may refer to itself. */
const MAX_DEPTH = 10;
/** Maximum number of items and characters; a schema that asks for more has no sample. */
const MAX_SIZE = 1_000;
/** Value of an unknown type. */
export const UNKNOWN = 'something';

interface Wishes {
  /** True if the value at this path (`slots.time`, without indexes) is varied. */
  isVaried(path: string): boolean;
  /** Value that is tried first at this path; undefined if there is none. */
  likely(path: string): Json | undefined;
}

const ALL: Wishes = { isVaried: () => true, likely: () => undefined };
const ONE: Wishes = { ...ALL, isVaried: () => false };

export const valuesOfSchema = (schema: JsonObject, wishes: Partial<Wishes> = {}): Json[] =>
  new SchemaReader(schema, { ...ALL, ...wishes }).values(schema, '', 0);

/** Sample value for a schema. It may not match all keywords of the schema. */
export const sampleOf = (schema: JsonObject): Json => valuesOfSchema(schema, ONE)[0] ?? UNKNOWN;

class SchemaReader {
  readonly #root: JsonObject;
  readonly #wishes: Wishes;

  constructor(root: JsonObject, wishes: Wishes) {
    this.#root = root;
    this.#wishes = wishes;
  }

  values(written: JsonObject, path: string, depth: number): Json[] {
    const schema = merged(this.#resolved(written));
    const likely = this.#wishes.likely(path);
    const isScalar = likely !== undefined && typeof likely !== 'object';
    const all = [...(isScalar ? [likely] : []), ...this.#natural(schema, path, depth)];
    const distinct = [...new Map(all.map((value) => [JSON.stringify(value), value])).values()];
    return this.#wishes.isVaried(path) ? distinct : distinct.slice(0, 1);
  }

  #natural(schema: JsonObject, path: string, depth: number): Json[] {
    const { enum: allowed, const: only, anyOf, oneOf, ...rest } = schema;
    if (only !== undefined) return [only];
    if (Array.isArray(allowed)) return allowed;
    const alternatives = [anyOf, oneOf].find(Array.isArray)?.filter(isObject);
    if (alternatives !== undefined) {
      if (depth > MAX_DEPTH) return [];
      return alternatives.flatMap((each) => this.values({ ...rest, allOf: [each] }, path, depth + 1));
    }
    const types = typesOf(schema);
    const values = types.flatMap((type) => this.#ofType(String(type), schema, path, depth));
    return types.includes('null') ? [...values, null] : values;
  }

  #ofType(type: string, schema: JsonObject, path: string, depth: number): Json[] {
    switch (type) {
      case 'integer':
      case 'number':
        return numbersOf(schema);
      case 'boolean':
        return [true, false];
      case 'string':
        return [textOf(schema)];
      case 'array':
        return this.#lists(schema, path, depth);
      case 'object':
        return this.#maps(schema, path, depth);
      default:
        return [];
    }
  }

  #lists({ items, prefixItems, minItems, maxItems, uniqueItems }: JsonObject, path: string, depth: number): Json[] {
    if (Array.isArray(prefixItems)) {
      return [
        prefixItems.map((item) => (isObject(item) ? this.values(item, path, depth + 1)[0] : undefined) ?? UNKNOWN),
      ];
    }
    const least = isNumber(minItems) ? Math.min(minItems, MAX_SIZE) : 0;
    const most = isNumber(maxItems) ? maxItems : Number.POSITIVE_INFINITY;
    if (depth > MAX_DEPTH) return [[]];
    const found = isObject(items) ? this.values(items, path, depth + 1) : [];
    const [first = UNKNOWN, ...others] = found;
    const filled = (count: number, begin: readonly Json[] = []): Json[] => [
      ...begin,
      ...Array.from({ length: count - begin.length }, (_, at) =>
        uniqueItems === true && at > 0 ? (others[at - 1] ?? first) : first,
      ),
    ];
    const counts = [1, 0, 2].filter((count) => count >= least && count <= most);
    return [
      ...(counts.length > 0 ? counts : [least]).map((count) => filled(count)),
      ...(most === 0 ? [] : others.map((other) => filled(Math.max(1, least), [other]))),
    ];
  }

  #maps({ properties, required, additionalProperties }: JsonObject, path: string, depth: number): Json[] {
    const described = isObject(properties) ? properties : {};
    const needed = Array.isArray(required) ? required.map(String) : [];
    const other = isObject(additionalProperties) ? additionalProperties : {};
    const names = [...new Set([...Object.keys(described), ...needed])].filter(
      (name) => depth <= MAX_DEPTH || needed.includes(name),
    );
    const inner = names.map((name) => {
      const schema = Object.hasOwn(described, name) ? described[name] : other;
      const below = path === '' ? name : `${path}.${name}`;
      const values = isObject(schema) && depth <= MAX_DEPTH ? this.values(schema, below, depth + 1) : [];
      const [first = this.#wishes.likely(below) ?? UNKNOWN, ...others] = values;
      return { name, first, others, mayBeAbsent: !needed.includes(name) && this.#wishes.isVaried(below) };
    });
    const base: JsonObject = Object.fromEntries(inner.map(({ name, first }) => [name, first]));
    return [
      base,
      ...inner.flatMap(({ name, others, mayBeAbsent }) => {
        const { [name]: _removed, ...without } = base;
        return [...others.map((value) => ({ ...base, [name]: value })), ...(mayBeAbsent ? [without] : [])];
      }),
    ];
  }

  #resolved(schema: JsonObject): JsonObject {
    const { $ref: reference, ...beside } = schema;
    if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
    let at: Json | undefined = this.#root;
    for (const key of reference.split('/').slice(1)) {
      at = isObject(at) ? at[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
    }
    return isObject(at) ? { ...at, ...beside } : beside;
  }
}

/** Merges `allOf` into the schema. */
function merged(schema: JsonObject): JsonObject {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = [own, ...allOf.filter(isObject).map(merged)];
  const properties = parts.map((part) => part['properties']).filter(isObject);
  const required = parts.flatMap((part) => part['required'] ?? []);
  return Object.assign({}, ...parts, {
    ...(properties.length > 0 && { properties: Object.assign({}, ...properties) }),
    ...(required.length > 0 && { required }),
  });
}

/** Declared types, or the types that the keywords are for. */
function typesOf(schema: JsonObject): Json[] {
  if (schema['type'] !== undefined) return [schema['type']].flat();
  const has = (...keys: string[]): boolean => keys.some((key) => schema[key] !== undefined);
  if (has('properties', 'required')) return ['object'];
  if (has('items', 'prefixItems', 'minItems')) return ['array'];
  if (has('minimum', 'maximum', 'multipleOf')) return ['number'];
  return has('pattern', 'minLength', 'format') ? ['string'] : [];
}

function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): number[] {
  const low = [minimum, typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined].find(isNumber);
  const high = [maximum, typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : undefined].find(isNumber);
  const step = isNumber(multipleOf) && multipleOf > 0 ? multipleOf : 1;
  const least = low ?? (high === undefined ? 0 : high - step);
  const whole = Math.ceil(least / step) * step;
  const values = [whole + step, whole];
  const fitting = values.filter((value) => high === undefined || value <= high);
  return fitting.length > 0 ? fitting : values;
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number';

const OF_FORMATS: Readonly<Record<string, string>> = {
  date: FIRST_MOMENT.slice(0, 10),
  'date-time': FIRST_MOMENT,
  time: FIRST_MOMENT.slice(11),
  email: 'ann@shop.example',
  uri: 'https://shop.example/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textOf({ pattern, minLength = 0, maxLength, format }: JsonObject): string {
  if (typeof format === 'string' && Object.hasOwn(OF_FORMATS, format)) return OF_FORMATS[format]!;
  const least = Math.min(Number(minLength), MAX_SIZE);
  const most = isNumber(maxLength) ? maxLength : Number.POSITIVE_INFINITY;
  const texts = [
    UNKNOWN,
    ...(typeof pattern === 'string' ? textsFor(pattern) : []),
    'x'.repeat(Math.max(1, least)),
    ...usualDigits(1, 16),
  ];
  const regex = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  return texts.find((text) => text.length >= least && text.length <= most && (regex?.test(text) ?? true)) ?? UNKNOWN;
}
