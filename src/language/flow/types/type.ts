/**
 * Type of an expression's value, as known before a call: the kinds of JSON, the fields of maps, the items of lists, and
 * the values themselves if they are few. Does not depend on expressions and flows. `infer.ts` infers types of
 * expressions; `scope.ts` builds the type of the scope.
 *
 * Invariant: a type includes every possible value; an unknown type is `ANY`.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { suggest } from '../../../base/schema/suggest.ts';

/** Bit of each kind. */
export const KIND = { text: 1, number: 2, boolean: 4, null: 8, map: 16, list: 32, function: 64 } as const;
const ALL_KINDS = 127;

export type Scalar = string | number | boolean | null;

/** Why a value may be missing or null, and the path to it, if an expression names one. */
export interface Blank {
  /** As the end of a sentence: “its schema does not require it”. */
  readonly why: string;
  /** True if outcomes of the step decide whether the field exists. */
  readonly byOutcome?: true;
  /** True if a condition without another value gives nothing on purpose, as part of a prompt. */
  readonly isMeant?: true;
  /** Path to the value that may be missing, as in `nameOf`. */
  readonly key?: string;
  /** Path that an expression reads: the value, or one below it; and its place, in characters. */
  readonly path?: string;
  readonly from?: number;
}

export interface Type {
  /** Possible kinds, as a bit set; 0 if there is never a value. */
  readonly kinds: number;
  /** True if the value may be missing. */
  readonly mayBeMissing: boolean;
  /** Known reason for which the value may be missing. A variable that is not set yet has none. */
  readonly gap?: Blank | undefined;
  /** Known reason for which the value may be null. */
  readonly nil?: Blank | undefined;
  /** Text that contains the value of an expression that may be missing. */
  readonly hole?: Blank | undefined;
  /** Known fields of a map. */
  readonly fields?: ReadonlyMap<string, Type>;
  /**
   * `any`: a map may have other fields; `open`: so may a map from outside; `likely`: its schema does not forbid them;
   * `none`: it has no others.
   */
  readonly others: 'any' | 'open' | 'likely' | 'none';
  /** Type of a list's items. */
  readonly items?: Type;
  /** All possible values, if they are known. */
  readonly values?: readonly Scalar[];
}

const of = (kinds: number, rest: Partial<Type> = {}): Type => ({ kinds, mayBeMissing: false, others: 'any', ...rest });

export const ANY: Type = of(ALL_KINDS, { mayBeMissing: true });
export const NOTHING: Type = of(0, { mayBeMissing: true });
export const TEXT = of(KIND.text);
export const NUMBER = of(KIND.number);
export const BOOLEAN = of(KIND.boolean);
export const FUNCTION = of(KIND.function);

export const literalType = (value: Scalar): Type => of(kindOf(value), { values: [value] });
export const listOf = (items: Type): Type => of(KIND.list, { items });
export const mapOf = (fields: ReadonlyMap<string, Type>, others: Type['others'] = 'none'): Type =>
  of(KIND.map, { fields, others });
export const perhaps = (type: Type): Type => (type.mayBeMissing ? type : { ...type, mayBeMissing: true });
export const surely = (type: Type): Type =>
  type.mayBeMissing || type.gap ? { ...type, mayBeMissing: false, gap: undefined } : type;
/** The value may be missing for a known reason. */
export const withGap = (type: Type, gap: Blank): Type => ({ ...type, mayBeMissing: true, gap });
/** The reasons are not known. */
export const withoutReasons = (type: Type): Type =>
  type.gap || type.nil ? { ...type, gap: undefined, nil: undefined } : type;
/** The value is not null, or null for a reason that is not known. */
export const notNull = (type: Type): Type =>
  type.nil ? { ...type, nil: undefined, kinds: type.kinds & ~KIND.null } : type;
const isUnknown = ({ kinds }: Type): boolean => kinds === ALL_KINDS;
/** True if the value can be of one of `kinds`. */
export const canBe = (type: Type, kinds: number): boolean => (type.kinds & kinds) !== 0;

function kindOf(value: Json): number {
  if (value === null) return KIND.null;
  if (Array.isArray(value)) return KIND.list;
  switch (typeof value) {
    case 'string':
      return KIND.text;
    case 'number':
      return KIND.number;
    case 'boolean':
      return KIND.boolean;
    default:
      return KIND.map;
  }
}

/** Type of a value of either type. */
export function union(one: Type, other: Type): Type {
  if (one === other) return one;
  const mayBeMissing = one.mayBeMissing || other.mayBeMissing;
  const gap = one.gap ?? other.gap;
  const blanks = { ...(gap && { gap }), ...((one.nil ?? other.nil) && { nil: one.nil ?? other.nil }) };
  const hole = one.hole ?? other.hole;
  if (one.kinds === 0) return mayBeMissing ? { ...perhaps(other), ...blanks } : other;
  if (other.kinds === 0) return mayBeMissing ? { ...perhaps(one), ...blanks } : one;
  const values = one.values && other.values ? [...new Set([...one.values, ...other.values])] : undefined;
  const [map, second] = [one, other].filter(({ kinds }) => (kinds & KIND.map) !== 0);
  const items =
    one.kinds & other.kinds & KIND.list
      ? one.items && other.items && union(one.items, other.items)
      : (one.items ?? other.items);
  const fields = second === undefined ? map?.fields : unitedFields(map!, second);
  return {
    kinds: one.kinds | other.kinds,
    mayBeMissing,
    ...blanks,
    ...(hole && { hole }),
    others: map === undefined || fields === undefined ? 'any' : loosest(map.others, second?.others ?? 'none'),
    ...(fields && { fields }),
    ...(items && { items }),
    ...(values && { values }),
  };
}

/** Type of a value after one of these outcomes. A field that not every outcome gives may be missing. */
export function typeByOutcome(types: ReadonlyMap<string, Type>): Type | undefined {
  const all = [...types];
  if (all.length === 0 || all.some(([, { kinds }]) => kinds !== KIND.map && kinds !== KIND.null)) {
    return all.length === 0 ? undefined : all.map(([, type]) => type).reduce(union);
  }
  const whole = all.map(([, type]) => (type.kinds === KIND.null ? mapOf(new Map()) : type)).reduce(union);
  const fields = [...(whole.fields ?? [])].map(([name, field]): [string, Type] => {
    const lacking = all.find(([, { kinds, fields: own }]) => kinds === KIND.null || own?.has(name) === false);
    return [name, lacking === undefined ? field : withGap(field, lackingAfter(lacking[0]))];
  });
  return mapOf(new Map(fields), whole.others);
}

export const lackingAfter = (outcome: string): Blank => ({
  why: `after \`${outcome}\` it does not exist`,
  byOutcome: true,
});

const LOOSENESS = ['none', 'likely', 'open', 'any'] as const;
const loosest = (one: Type['others'], other: Type['others']): Type['others'] =>
  LOOSENESS[Math.max(LOOSENESS.indexOf(one), LOOSENESS.indexOf(other))]!;

function unitedFields(one: Type, other: Type): ReadonlyMap<string, Type> | undefined {
  if (!one.fields || !other.fields) return undefined;
  const made = new Map<string, Type>();
  for (const name of new Set([...one.fields.keys(), ...other.fields.keys()])) {
    const [a, b] = [one.fields.get(name), other.fields.get(name)];
    made.set(name, a && b ? union(a, b) : perhaps((a ?? b)!));
  }
  return made;
}

/** Result of a path over a list: no value, its single item, or a list of several. */
export function sequenceOf(items: Type): Type {
  if (items.kinds === 0) return NOTHING;
  const known = { ...surely(items), nil: undefined };
  return perhaps(union(known, listOf(known)));
}

/** Input of the next path step: the items of a list, else the value itself. */
export function itemOf(type: Type): Type {
  if (!canBe(type, KIND.list)) return type;
  const rest = type.kinds & ~KIND.list;
  const items = type.items ?? ANY;
  return rest === 0 ? items : union({ ...type, kinds: rest }, items);
}

/** Result of applying `made` to each item of `over`, or to a value that is not a list. */
export const eachOf = (over: Type, made: Type): Type =>
  canBe(over, KIND.list) ? sequenceOf(surely(itemOf(made))) : over.mayBeMissing ? perhaps(made) : made;

/** Type of a field of a map, or of each item of a list. `NOTHING` if the field never exists. */
export function fieldOf(type: Type, name: string): Type {
  if (isUnknown(type)) return ANY;
  const found: Type[] = [];
  if (canBe(type, KIND.map)) found.push(type.fields?.get(name) ?? otherField(type, name));
  if (canBe(type, KIND.list)) found.push(sequenceOf(fieldOf(type.items ?? ANY, name)));
  if (found.length === 0) return NOTHING;
  const field = found.reduce(union);
  const isCertain = !type.mayBeMissing && (type.kinds & ~(KIND.map | KIND.list)) === 0;
  if (isCertain) return field;
  const gap = type.gap ?? type.nil;
  return gap === undefined ? perhaps(field) : withGap(field, gap);
}

/** If a schema does not forbid further fields, a name similar to a known field still counts as misspelt. */
function otherField({ fields, others }: Type, name: string): Type {
  if (!fields || others === 'any') return ANY;
  if (others === 'none') return NOTHING;
  if (suggest(name, fields.keys()) !== undefined) return NOTHING;
  return others === 'open' ? ANY : UNDESCRIBED;
}

/** Names of all known fields. */
export const fieldNames = (type: Type): string[] => [
  ...new Set([...(type.fields?.keys() ?? []), ...(type.items ? fieldNames(type.items) : [])]),
];

const KIND_WORDS: readonly [bit: number, word: string][] = [
  [KIND.text, 'a text'],
  [KIND.number, 'a number'],
  [KIND.boolean, 'true or false'],
  [KIND.null, 'null'],
  [KIND.map, 'a map'],
  [KIND.list, 'a list'],
  [KIND.function, 'a function'],
];

export const inWords = ({ kinds }: Pick<Type, 'kinds'>): string =>
  KIND_WORDS.flatMap(([bit, word]) => ((kinds & bit) === 0 ? [] : [word])).join(' or ') || 'nothing';

// --- of JSON Schemas -------------------------------------------------------------------------------------------------

const SCHEMA_KINDS: Readonly<Record<string, number>> = {
  string: KIND.text,
  number: KIND.number,
  integer: KIND.number,
  boolean: KIND.boolean,
  null: KIND.null,
  object: KIND.map,
  array: KIND.list,
};

/** Kinds of these types of JSON Schema. */
export const kindsOf = (types: readonly string[]): number =>
  types.reduce((sum, word) => sum | (SCHEMA_KINDS[word] ?? ALL_KINDS), 0);

/** Keywords whose meaning is not evaluated here. */
const FURTHER = ['$ref', '$dynamicRef', 'allOf', 'if', 'patternProperties', 'prefixItems', 'not'];

const UNDESCRIBED = withGap(ANY, { why: 'its schema does not describe it' });
const OPTIONAL: Blank = { why: 'its schema does not require it' };
const NULLABLE: Blank = { why: 'its schema allows null' };

/**
 * Type of the values that fit a schema. `isStrict`: a property that is not required may be missing also if the schema
 * requires none, because the values come from outside of the flow.
 */
export function typeOfSchema(schema: Json | undefined, isStrict = false): Type {
  if (!isObject(schema)) return SURELY_ANY;
  const types = isStrict ? strictTypes : ownTypes;
  const type = types.get(schema) ?? readSchema(schema, isStrict);
  types.set(schema, type);
  return type;
}

const SURELY_ANY = surely(ANY);
/** Types of schemas, each read once, since several checks ask for it. */
const ownTypes = new WeakMap<JsonObject, Type>();
const strictTypes = new WeakMap<JsonObject, Type>();

function readSchema(schema: JsonObject, isStrict: boolean): Type {
  const choice = schema['anyOf'] ?? schema['oneOf'];
  const base = withNil(typeOfKeywords(schema, isStrict));
  if (!Array.isArray(choice) || choice.length === 0) return base;
  const chosen = withNil(choice.map((each) => typeOfSchema(each, isStrict)).reduce(union));
  return isUnknown(base) ? chosen : { ...base, others: 'any' };
}

const withNil = (type: Type): Type =>
  canBe(type, KIND.null) && !isUnknown(type) && type.kinds !== KIND.null ? { ...type, nil: NULLABLE } : type;

function typeOfKeywords(schema: JsonObject, isStrict: boolean): Type {
  const { type, enum: listed, const: only, properties, items, additionalProperties } = schema;
  const values = only === undefined ? listed : [only];
  if (Array.isArray(values) && values.length > 0) {
    const kinds = values.map(kindOf).reduce((sum, kind) => sum | kind, 0);
    const scalars = values.filter((value): value is Scalar => typeof value !== 'object' || value === null);
    return of(kinds, scalars.length === values.length ? { values: scalars } : {});
  }
  const isUnsaved = FURTHER.some((key) => schema[key] !== undefined);
  const kinds = kindsOf([type ?? []].flat().map(String));
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const isJudged = isStrict || required.length > 0;
  const fields =
    isObject(properties) && !isUnsaved
      ? new Map(
          Object.entries(properties).map(([name, inner]) => {
            const field = typeOfSchema(inner, isStrict);
            return [name, required.includes(name) ? field : isJudged ? withGap(field, OPTIONAL) : perhaps(field)];
          }),
        )
      : undefined;
  const others =
    additionalProperties === false ? 'none' : isObject(additionalProperties) ? 'any' : isStrict ? 'open' : 'likely';
  return of(kinds === 0 ? ALL_KINDS : kinds, {
    ...(fields && { fields, others }),
    ...(items !== undefined && !isUnsaved && { items: typeOfSchema(items, isStrict) }),
  });
}
