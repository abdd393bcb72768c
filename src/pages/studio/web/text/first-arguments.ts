/**
 * Arguments of a new step: those that its verb begins with, and the answers to what the verb asks for. Pure.
 * `insert-step.ts` writes the step; the keyword `picker` of the verb's schema has the data.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { keyAt, type LanguageVerb } from '../../../../language/flow/text/language.ts';

/** `answers` are in the order of `asks`. An empty answer leaves the argument out. */
export function firstArguments(verb: LanguageVerb, answers: readonly string[] = []): Json {
  const { begins = null, asks = [] } = verb.picker ?? {};
  let args = begins;
  let key = '';
  for (const [index, { at }] of asks.entries()) {
    const answer = (answers[index] ?? '').trim();
    if (at === '') key = answer;
    else if (answer !== '') args = withValue(args, pathOf(at, key), typedAnswer(answer, verb, pathOf(at, key)));
  }
  return inShortForm(inOrder(args, verb), verb);
}

const pathOf = (pointer: string, key: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => (part === '*' ? key : /^\d+$/.test(part) ? Number(part) : part));

/** A number as people type it, which loses nothing as a number. */
export const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;

/** The answer in the type that the schema gives. A value without a type may be a number or a truth value. */
function typedAnswer(answer: string, verb: LanguageVerb, path: readonly (string | number)[]): Json {
  const type = keyAt(verb.schema, path)?.type;
  const types = [type ?? []].flat();
  if (types.includes('array') && !types.includes('string') && !answer.includes('${')) {
    return answer
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  const isNumber = types.includes('number') || types.includes('integer') || type === undefined;
  if (isNumber && NUMBER.test(answer)) return Number(answer);
  if (type === undefined && /^(?:true|false)$/.test(answer)) return answer === 'true';
  return answer;
}

/** Copy of the value with another one at a path, whose maps are made. */
export function withValue(value: Json, [key, ...rest]: readonly (string | number)[], to: Json): Json {
  if (key === undefined) return to;
  if (Array.isArray(value) && typeof key === 'number') return value.with(key, withValue(value[key] ?? null, rest, to));
  const map: JsonObject = isObject(value) ? value : {};
  return { ...map, [key]: withValue(map[key] ?? null, rest, to) };
}

/** Keys in the order of the schema, as people write them. */
function inOrder(args: Json, { schema }: LanguageVerb): Json {
  if (!isObject(args)) return args;
  const order = Object.keys(schema.properties ?? {});
  return Object.fromEntries(
    Object.entries(args).toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)),
  );
}

/** `{ to: bob }` is written `bob` if `to` is the short key of a verb that need not be a map. */
function inShortForm(args: Json, { short, schema }: LanguageVerb): Json {
  if (short === undefined || schema.type === 'object' || !isObject(args)) return args;
  return Object.keys(args).length === 1 ? (args[short] ?? args) : args;
}
