/**
 * Converts the value of a template for the argument in which it is used, so that a value's type, which may be known
 * only during the call, does not matter: a number is dialled as text, a word is spoken, a single item becomes a list.
 * `template.ts` renders, `prompt-names.ts` finds templates that give names of prompts, and `lint-types.ts` reports
 * values that can never fit.
 *
 * Invariants
 *  - Only values of templates are converted: literal values must fit the schema as written.
 *  - A value that already fits, or cannot be converted, is kept.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { remembered } from '../../base/core/remembered.ts';
import { pointerKeys } from '../../base/schema/document.ts';
import { branchesAt, branchesBelow, type SchemaBranch, typesOf } from '../../base/schema/schema-branches.ts';
import { referred } from '../../base/schema/schema-forms.ts';
import type { TemplatePlaces } from './compiled-flow.ts';
import { isText } from './prompts.ts';
import { spokenNumber } from './spoken-number.ts';

/** Places of a verb's arguments. `names`: pointers of the templates that give names of prompts. */
export function argumentPlaces(verb: string, names: ReadonlySet<string>): TemplatePlaces {
  return (pointer) => {
    const branches = branchesAt(verb, pointer);
    if (branches.length === 0 || branches.some((branch) => typesOf(branch) === undefined)) return undefined;
    const fitted = fitFor(branches);
    if (!branches.some(isPromptWord)) {
      const isSpoken = isSpokenText(verb, pointer);
      return { isSpoken, fit: (value, locale) => fitted(value, isSpoken ? locale : undefined) };
    }
    const fit: Fit = (value, locale) => (names.has(pointer) ? value : fitted(spoken(value, locale), locale));
    return { isSpoken: true, fit };
  };
}

/** Places of values for variables. `schemaOf` returns the JSON Schema of a variable. */
export const variablePlaces =
  (schemaOf: (name: string) => JsonObject | undefined): TemplatePlaces =>
  (pointer) => {
    const [name = '', ...below] = pointerKeys(pointer);
    const schema = below.reduce(schemaBelow, schemaOf(name));
    return schema && { isSpoken: false, fit: (value) => withLists(schema, value) };
  };

/** True for a place of a prompt. */
export const isPromptPlace = (verb: string, pointer: string): boolean => branchesAt(verb, pointer).some(isPromptWord);

const PROMPT_WORD = referred('components.schema.json#/$defs/promptWord', 'components').schema;
const isPromptWord = ({ schema }: SchemaBranch): boolean => schema === PROMPT_WORD;

/** True for `text` in a part of a prompt. */
const isSpokenText = (verb: string, pointer: string): boolean =>
  pointer.endsWith('/text') && isPromptPlace(verb, pointer.slice(0, -'/text'.length));

/** A single word is spoken as text, because a caller's name could equal the name of a prompt. */
function spoken(value: Json | undefined, locale: string | undefined): Json | undefined {
  if (Array.isArray(value)) return value.flatMap((item) => (isNothing(item) ? [] : spoken(item, locale)!));
  if (typeof value === 'number') return { text: spokenNumber(value, locale) };
  if (typeof value === 'boolean') return { text: String(value) };
  return typeof value === 'string' && value !== '' && !isText(value) ? { text: value } : value;
}

/** True for values that are left out of a list of prompt parts. */
export const isNothing = (value: Json | undefined): boolean => value === undefined || value === null || value === '';

type Fit = (value: Json | undefined, locale: string | undefined) => Json | undefined;

const UNCHANGED: Fit = (value) => value;

/** Prepares the conversion for a place with these schemas; parts of a value are prepared when one first occurs. */
function fitFor(branches: readonly SchemaBranch[]): Fit {
  const known = branches.map((branch) => ({ branch, types: typesOf(branch) }));
  if (known.length === 0 || known.some(({ types }) => types === undefined)) return UNCHANGED;
  const taking = (...types: string[]) =>
    known.filter((each) => each.types!.some((type) => types.includes(type))).map(({ branch }) => branch);
  const [text] = taking('string');
  const [numbers, booleans] = [taking('number', 'integer'), taking('boolean')];
  const [lists, objects] = [taking('array'), taking('object')];
  const ofItems = remembered((index) => fitFor(branchesBelow(lists, index)));
  const ofKey = remembered((key) => fitFor(branchesBelow(objects, key)));
  const fitItem: Fit = (item, locale) => ofItems('0')(item, locale);
  return (value, locale) => {
    if (value === undefined || value === null) return value;
    const asItem = (): Json => (lists.length > 0 ? [fitItem(value, locale)!] : value);
    if (Array.isArray(value)) return lists.length > 0 ? value.map((item) => fitItem(item, locale)!) : value;
    if (isObject(value)) {
      return objects.length > 0 ? mapValues(value, (item, key) => ofKey(key)(item, locale)!) : asItem();
    }
    if (typeof value === 'string') return text ? value : asItem();
    if ((typeof value === 'number' ? numbers : booleans).length > 0) return value;
    return text ? asText(text, value, locale) : asItem();
  };
}

/** A number without a unit is a duration in seconds. */
function asText(branch: SchemaBranch, value: number | boolean, locale: string | undefined): Json {
  if (branch.schema['code'] === 'duration' && typeof value === 'number') return `${value}s`;
  if (isPromptWord(branch)) return { text: spokenNumber(value, locale) };
  return locale === undefined ? String(value) : spokenNumber(value, locale);
}

/** JSONata turns a list of one item into the item, and an empty list into no value; this restores the list. */
export function withLists(schema: Json | undefined, value: Json | undefined): Json | undefined {
  if (!isObject(schema)) return value;
  const { type, items, properties } = schema;
  const isList = type === 'array' && !['anyOf', 'oneOf', 'enum', 'const'].some((key) => schema[key] !== undefined);
  if (Array.isArray(value)) return isList ? value.map((item) => withLists(items, item)!) : value;
  if (isList) return value === undefined || value === null ? [] : [withLists(items, value)!];
  if (!isObject(value) || !isObject(properties)) return value;
  return mapValues(value, (item, key) => (Object.hasOwn(properties, key) ? withLists(properties[key], item)! : item));
}

function schemaBelow(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const { properties, items, type } = schema ?? {};
  const below = type === 'array' ? items : isObject(properties) && Object.hasOwn(properties, key) && properties[key];
  return isObject(below || null) ? (below as JsonObject) : undefined;
}
