/**
 * Limits of the schemas of flows in words for the field that has the value: each keyword of JSON Schema has a row, and
 * `says` of the schema comes first. Never the name of a keyword, never a path. Pure.
 */
import { isEqualJson, isObject, type Json } from '../../../../base/core/json.ts';
import type { LanguageKey } from '../../../../language/flow/text/language.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';

export const isTemplate = (text: string): boolean => text.includes('${');

/** Types of JSON Schema in words. */
const TYPES: Readonly<Record<string, string>> = {
  string: t('text'),
  integer: t('a whole number'),
  number: t('a number'),
  boolean: t('yes or no'),
  object: t('names with values'),
  array: t('a list'),
  null: t('nothing'),
};

const FORMATS: Readonly<Record<string, readonly [pattern: RegExp, words: string]>> = {
  date: [/^\d{4}-\d{2}-\d{2}$/, t('Needs a date, such as 2026-12-25')],
  time: [/^\d{2}:\d{2}/, t('Needs a time, such as 09:30')],
  'date-time': [/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, t('Needs a date with a time, such as 2026-12-25T09:30:00Z')],
  email: [/^\S+@\S+$/, t('Needs an e-mail address')],
  uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, t('Needs a URL')],
};

type Check = (value: Json, key: LanguageKey) => string | undefined;

const ofText =
  (check: (text: string, key: LanguageKey) => string | undefined): Check =>
  (value, key) =>
    typeof value === 'string' ? check(value, key) : undefined;
const ofNumber =
  (check: (number: number, key: LanguageKey) => string | undefined): Check =>
  (value, key) =>
    typeof value === 'number' ? check(value, key) : undefined;
const ofList =
  (check: (list: readonly Json[], key: LanguageKey) => string | undefined): Check =>
  (value, key) =>
    Array.isArray(value) ? check(value, key) : undefined;
const ofMap =
  (check: (map: Readonly<Record<string, Json>>, key: LanguageKey) => string | undefined): Check =>
  (value, key) =>
    isObject(value) ? check(value, key) : undefined;
const count = (map: object): number => Object.keys(map).length;

/** By keyword, most telling first. */
export const LIMIT_CHECKS: Readonly<Record<string, Check>> = {
  type: (value, key) => {
    const types = typesOf(key);
    if (types.size === 0 || typesOfValue(value).some((type) => types.has(type))) return undefined;
    if (types.has('integer') && typeof value === 'number') return t('Needs a whole number');
    return saysOf(key) ?? t('Needs {kinds}', { kinds: kindsIn(types) });
  },
  const: (value, { const: only }) =>
    only === undefined || isEqualJson(value, only) ? undefined : t('Only {value} is possible', { value: shown(only) }),
  enum: ofText((text, key) => {
    const words = key.enum?.filter((word) => typeof word === 'string');
    if (!words?.length || words.includes(text) || key.pattern !== undefined) return undefined;
    return t('One of: {words}', { words: listText(words.map(String), 'disjunction') });
  }),
  minLength: ofText((text, { minLength = 0 }) => {
    if (text.length >= minLength) return undefined;
    return minLength === 1
      ? t('Needs some text')
      : t('At least {count, plural, one {# character} other {# characters}}', { count: minLength });
  }),
  maxLength: ofText((text, { maxLength = Number.POSITIVE_INFINITY }) =>
    text.length > maxLength
      ? t('At most {count, plural, one {# character} other {# characters}}', { count: maxLength })
      : undefined,
  ),
  pattern: ofText((text, key) =>
    key.pattern !== undefined && !new RegExp(key.pattern, 'u').test(text)
      ? (saysOf(key) ?? t('This does not fit'))
      : undefined,
  ),
  format: ofText((text, { format = '' }) => {
    const [pattern, words] = FORMATS[format] ?? [];
    return pattern === undefined || pattern.test(text) ? undefined : words;
  }),
  minimum: ofNumber((number, key) => (key.minimum !== undefined && number < key.minimum ? rangeWords(key) : undefined)),
  maximum: ofNumber((number, key) => (key.maximum !== undefined && number > key.maximum ? rangeWords(key) : undefined)),
  exclusiveMinimum: ofNumber((number, { exclusiveMinimum: limit }) =>
    limit !== undefined && number <= limit ? t('More than {limit}', { limit }) : undefined,
  ),
  exclusiveMaximum: ofNumber((number, { exclusiveMaximum: limit }) =>
    limit !== undefined && number >= limit ? t('Less than {limit}', { limit }) : undefined,
  ),
  multipleOf: ofNumber((number, { multipleOf }) =>
    multipleOf !== undefined && !Number.isInteger(number / multipleOf)
      ? t('Needs a multiple of {number}', { number: multipleOf })
      : undefined,
  ),
  minItems: ofList((list, { minItems = 0 }) =>
    list.length < minItems
      ? t('At least {count, plural, one {# entry} other {# entries}}', { count: minItems })
      : undefined,
  ),
  maxItems: ofList((list, { maxItems = Number.POSITIVE_INFINITY }) =>
    list.length > maxItems
      ? t('At most {count, plural, one {# entry} other {# entries}}', { count: maxItems })
      : undefined,
  ),
  uniqueItems: ofList((list, { uniqueItems }) => {
    const twice = list.find((item, index) => list.slice(0, index).some((other) => isEqualJson(item, other)));
    return uniqueItems && twice !== undefined ? t('{value} is there twice', { value: shown(twice) }) : undefined;
  }),
  minProperties: ofMap((map, { minProperties = 0 }) =>
    count(map) < minProperties
      ? t('At least {count, plural, one {# entry} other {# entries}}', { count: minProperties })
      : undefined,
  ),
  maxProperties: ofMap((map, { maxProperties = Number.POSITIVE_INFINITY }) =>
    count(map) > maxProperties
      ? t('At most {count, plural, one {# entry} other {# entries}}', { count: maxProperties })
      : undefined,
  ),
  required: ofMap((map, { required }) => {
    const missing = (Array.isArray(required) ? required.map(String) : []).find((name) => !Object.hasOwn(map, name));
    return missing === undefined ? undefined : t('{name} is missing', { name: missing });
  }),
  additionalProperties: ofMap((map, { closed, properties = {} }) => {
    const unknown = closed ? Object.keys(map).find((name) => !Object.hasOwn(properties, name)) : undefined;
    if (unknown === undefined) return undefined;
    return t('{name} is not known here. Known: {names}', { name: unknown, names: listText(Object.keys(properties)) });
  }),
  propertyNames: ofMap((map, { names }) => {
    if (names === undefined) return undefined;
    for (const name of Object.keys(map)) {
      const problem = problemOf(name, names);
      if (problem !== undefined) return t('{name}: {problem}', { name, problem });
    }
    return undefined;
  }),
};

/** The first limit that a value does not keep, in words; of a list or a map, also those of its parts. */
export function problemOf(value: Json, key: LanguageKey): string | undefined {
  if (typeof value === 'string' && isTemplate(value))
    return key.static ? t('No variables are possible here') : undefined;
  for (const check of Object.values(LIMIT_CHECKS)) {
    const problem = check(value, key);
    if (problem !== undefined) return problem;
  }
  return problemInside(value, key);
}

function problemInside(value: Json, { items, properties = {}, values }: LanguageKey): string | undefined {
  if (Array.isArray(value)) {
    return items && value.map((item) => problemOf(item, items)).find((problem) => problem !== undefined);
  }
  if (!isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const key = Object.hasOwn(properties, name) ? properties[name] : values;
    const problem = key && problemOf(inner, key);
    if (problem !== undefined) return t('{name}: {problem}', { name, problem });
  }
  return undefined;
}

function rangeWords({ minimum, maximum }: LanguageKey): string {
  if (maximum === undefined) return t('At least {minimum}', { minimum: minimum! });
  return minimum === undefined
    ? t('At most {maximum}', { maximum })
    : t('Needs a number between {minimum} and {maximum}', { minimum, maximum });
}

/** The pattern of a schema as a sentence of a form. */
export function saysOf({ says, code }: LanguageKey): string | undefined {
  if (code === 'duration') return t('A duration, such as 6 seconds or 1 min 30');
  return says === undefined ? undefined : t(sentence(says));
}

/**
 * The English sentence of a form for a text of the schemas, which is its key in the catalogue. A form writes quotes
 * where the language needs them.
 */
export const sentence = (says: string): string =>
  `${says[0]!.toUpperCase()}${says.slice(1)}`
    .replace(/^Must be /, 'Needs to be ')
    .replace(' in quotes', '')
    .replace(' a quoted ', ' a ')
    .replace(' quoted ', ' ');

export const typesOf = (key: LanguageKey | undefined): ReadonlySet<string> =>
  new Set([key?.type ?? []].flat().map(String));

const kindsIn = (types: ReadonlySet<string>): string =>
  listText(
    [...types].filter((type) => type !== 'integer' || !types.has('number')).map((type) => TYPES[type] ?? type),
    'disjunction',
  );

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Names of the types that a value has. */
function typesOfValue(value: Json): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}
