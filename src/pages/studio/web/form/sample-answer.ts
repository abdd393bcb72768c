/** Values and the shape of the sample answer of a web service, for authors to take over. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { nameInExpression } from '../../../../language/flow/text/references.ts';
import { NUMBER } from '../text/first-arguments.ts';

export interface SampleLeaf {
  /** Path in the body: keys and positions. */
  path: readonly (string | number)[];
  value: null | boolean | number | string;
}

/** Texts, numbers, booleans and nulls of the body, at most `most` of them, from 2 items of each list. */
export function leavesOf(body: Json, most = 60): SampleLeaf[] {
  const leaves: SampleLeaf[] = [];
  const visit = (value: Json, path: readonly (string | number)[]): void => {
    if (leaves.length >= most) return;
    if (Array.isArray(value)) for (const [index, item] of value.slice(0, 2).entries()) visit(item, [...path, index]);
    else if (isObject(value)) for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
    else leaves.push({ path, value });
  };
  visit(body, []);
  return leaves;
}

/** `result.body.items[0].name` */
export const expressionOf = ({ path }: Pick<SampleLeaf, 'path'>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${nameInExpression(key)}`),
    'result.body',
  );

/** Name of a variable for the value: its key, in letters that expressions read plainly. */
export function variableFor({ path }: Pick<SampleLeaf, 'path'>): string {
  const key = path.findLast((part) => typeof part === 'string') ?? 'answer';
  const name = key
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/\W+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase();
  return /^[a-z_]\w{0,63}$/.test(name) ? name : 'answer';
}

/**
 * Schema that accepts the sample: types of its values, and of the items of its lists. A value that is null in the
 * sample may be anything, and is not required.
 */
export function shapeOf(body: Json): JsonObject {
  if (body === null) return {};
  if (Array.isArray(body)) {
    const items = body
      .map(shapeOf)
      .reduce<JsonObject | undefined>((all, one) => (all ? merged(all, one) : one), undefined);
    return { type: 'array', ...(items !== undefined && Object.keys(items).length > 0 && { items }) };
  }
  if (!isObject(body)) return { type: typeof body };
  const properties = Object.fromEntries(Object.entries(body).map(([key, value]) => [key, shapeOf(value)]));
  const required = Object.keys(body).filter((key) => body[key] !== null);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

/** Schema that accepts what either of the two accepts. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  if (one['type'] !== other['type']) return {};
  if (one['type'] === 'array') {
    const items = [one['items'], other['items']].filter((each) => isObject(each));
    const both = items.length === 2 ? merged(items[0]!, items[1]!) : items[0];
    return { type: 'array', ...(both !== undefined && { items: both }) };
  }
  if (one['type'] !== 'object') return one;
  const [ofOne, ofOther] = [one, other].map(({ properties }) => (isObject(properties) ? properties : {}));
  const properties: JsonObject = { ...ofOne, ...ofOther };
  for (const key of Object.keys(ofOne!).filter((each) => Object.hasOwn(ofOther!, each))) {
    properties[key] = merged(ofOne![key] as JsonObject, ofOther![key] as JsonObject);
  }
  const required = [one['required']].flat().filter((key) => [other['required']].flat().includes(key!));
  return {
    type: 'object',
    ...(required.length > 0 && { required: required as Json[] }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

/** Example values by path, such as `vars.order`, as the maps that the service takes. */
export function valuesByScope(values: ReadonlyMap<string, string>): JsonObject {
  const scopes: JsonObject = {};
  for (const [path, text] of values) {
    const names = path.split('.');
    if (text === '' || names.includes('__proto__')) continue;
    let at: JsonObject = scopes;
    for (const name of names.slice(0, -1)) {
      if (!isObject(at[name])) at[name] = {};
      at = at[name] as JsonObject;
    }
    at[names.at(-1)!] = NUMBER.test(text) && !path.startsWith('call.') ? Number(text) : text;
  }
  return scopes;
}
