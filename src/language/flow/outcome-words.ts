/** Describes an outcome in words, with the condition on which it is possible, from its entry in the schema of the verb. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { DescribedOutcome } from './possible-outcomes.ts';

export function meaningOf({ when, text }: DescribedOutcome): string {
  if (when === undefined) return text;
  return `${changeFirst(wordsOf(when, true), 'toUpperCase')}: ${changeFirst(text, 'toLowerCase')}`;
}

const changeFirst = (text: string, change: 'toUpperCase' | 'toLowerCase'): string =>
  text.charAt(0)[change]() + text.slice(1);

/** Describes a condition, or its negation if `isWanted` is false: `with` the required keys, or `without` them. */
function wordsOf(condition: JsonObject, isWanted: boolean): string {
  const either = isWanted ? ' or ' : ' and ';
  const both = isWanted ? ' and ' : ' or ';
  const { required = [], properties = {}, not, allOf = [], anyOf = [] } = condition;
  const withWord = isWanted ? 'with' : 'without';
  const named = Object.keys(properties as JsonObject);
  const keys = (required as string[]).filter((key) => !named.includes(key)).map((key) => `\`${key}\``);
  return [
    ...(keys.length > 0 ? [`${withWord} ${keys.join(both)}`] : []),
    ...named.map((key) => wordsOfKey(key, (properties as Record<string, JsonObject>)[key]!, isWanted)),
    ...(isObject(not) ? [wordsOf(not, !isWanted)] : []),
    ...(allOf as JsonObject[]).map((each) => wordsOf(each, isWanted)),
    ...alternatives(anyOf as JsonObject[], isWanted).map((each) => each.join(either)),
  ].join(both);
}

/** Conditions of which one is enough, joined to one if each requires one key. */
function alternatives(conditions: readonly JsonObject[], isWanted: boolean): string[][] {
  if (conditions.length === 0) return [];
  const keys = conditions.flatMap(({ required, ...others }) =>
    Object.keys(others).length === 0 && Array.isArray(required) && required.length === 1 ? [`\`${required[0]}\``] : [],
  );
  if (!isWanted || keys.length < conditions.length) return [conditions.map((each) => wordsOf(each, isWanted))];
  return [[`with ${keys.slice(0, -1).join(', ')}`, keys.at(-1)!]];
}

function wordsOfKey(key: string, { const: only, enum: words, contains }: JsonObject, isWanted: boolean): string {
  if (only === false) return `${isWanted ? 'without' : 'with'} \`${key}\``;
  const withWord = isWanted ? 'with' : 'without';
  if (only === true) return `${withWord} \`${key}\``;
  const item = isObject(contains) ? contains['const'] : undefined;
  const values = only !== undefined ? [only] : item !== undefined ? [[item]] : ((words as Json[]) ?? []);
  const written = values.map((value) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value)));
  return `${withWord} \`${key}: ${written.join('`, `').replace(/, (?=[^,]*$)/, ' or ')}\``;
}
