/**
 * Conditions of outcomes: the subset of JSON Schema in `when` and `where` of the schemas of verbs, evaluated with three
 * truth values. The value of a template is not known before the call, so a condition may be true, false or undefined.
 * It also runs in browsers and accepts incomplete arguments. Related: `possible-outcomes.ts`, `outcome-words.ts`.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

/** Undefined if the truth is not known before the call. */
export type Truth = boolean | undefined;

/** True if a text contains an expression. */
export const hasExpression = (text: string): boolean =>
  text.includes('${') && text.replaceAll('$${', '').includes('${');

/** True for a text that contains a template: its value is unknown, but it is a text. */
export const isTemplated = (value: Json | undefined): boolean => typeof value === 'string' && hasExpression(value);

/** True for a single template: it may have any value. */
export const isWholeTemplate = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.startsWith('${') && value.endsWith('}');

const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(undefined) ? undefined : true;
}

const some = (truths: readonly Truth[]): Truth => not(every(truths.map(not)));

/** Evaluates a condition. `absent` names keys that `value` cannot have if it is a single template. */
export function holds(condition: JsonObject, value: Json, absent: readonly string[] = []): Truth {
  let truth: Truth = true;
  for (const keyword of Object.keys(condition)) {
    const found = holdsFor(keyword, condition[keyword]!, value, absent);
    if (found === false) return false;
    truth &&= found;
  }
  return truth;
}

function holdsFor(keyword: string, given: Json, value: Json, absent: readonly string[]): Truth {
  const inner = (condition: Json): Truth => holds(condition as JsonObject, value, absent);
  switch (keyword) {
    case 'not':
      return not(inner(given));
    case 'allOf':
      return every((given as Json[]).map(inner));
    case 'anyOf':
      return some((given as Json[]).map(inner));
    case 'required':
      return hasAll(given as string[], value, absent);
    case 'properties':
      return fitAll(given as Record<string, JsonObject>, value, absent);
    case 'const':
      return equals(value, given);
    case 'enum':
      return some((given as Json[]).map((each) => equals(value, each)));
    case 'contains':
      return contains(given as JsonObject, value);
    default:
      throw new Error(`${keyword} is not a keyword of conditions`);
  }
}

function hasAll(keys: readonly string[], value: Json, absent: readonly string[]): Truth {
  if (isWholeTemplate(value)) return keys.some((key) => absent.includes(key)) ? false : undefined;
  return !isObject(value) || keys.every((key) => Object.hasOwn(value, key));
}

function fitAll(properties: Readonly<Record<string, JsonObject>>, value: Json, absent: readonly string[]): Truth {
  if (isWholeTemplate(value)) return Object.keys(properties).every((key) => absent.includes(key)) ? true : undefined;
  if (!isObject(value)) return true;
  let truth: Truth = true;
  for (const key of Object.keys(properties)) {
    const found = Object.hasOwn(value, key) ? holds(properties[key]!, value[key]!) : true;
    if (found === false) return false;
    truth &&= found;
  }
  return truth;
}

function contains(condition: JsonObject, value: Json): Truth {
  if (isWholeTemplate(value)) return undefined;
  return !Array.isArray(value) || some(value.map((item) => holds(condition, item)));
}

function equals(value: Json, constant: Json): Truth {
  if (typeof value !== 'object' && value === constant) return true;
  if (!isTemplated(value)) return JSON.stringify(value) === JSON.stringify(constant);
  return isWholeTemplate(value) || typeof constant === 'string' ? undefined : false;
}
