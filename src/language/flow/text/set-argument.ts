/**
 * Sets one value of a step or of the flow, at the place that its schema gives it. Pure; the forms of the studio use it.
 *
 * Invariants
 *  - Setting a value that was absent and clearing it again gives the same characters, unless the step was written short.
 *  - A step in short form becomes a map only if the value has no place in the short form.
 */
import { isEqualJson, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Change } from './change.ts';
import type { EditRefusal } from './edits.ts';
import { type Path, valueAt } from './flow-source.ts';
import { keyOfPath, type Language, type LanguageVerb, verbOf } from './language.ts';
import { keysAt } from './references.ts';

export interface ArgumentValue {
  step: string;
  /** Path below the step, which begins with the verb or a common key: `['menu', 'prompt']`, `['when']`. */
  path: Path;
  /** Undefined to clear it. */
  value: Json | undefined;
  /** Literal text of the value. */
  written?: string;
}

/** Common keys of a step in the order in which flows write them. */
const STEP_ORDER = ['set', 'when', 'max_visits', 'sensitive', 'locale', 'voice', 'label', 'section', 'doc', 'check'];

export function argumentChanges(
  flow: JsonObject,
  { step, path, value, written }: ArgumentValue,
  language: Language,
): Change[] | EditRefusal {
  const root: Path = ['steps', step];
  if (!keysAt(flow, ['steps']).includes(step)) return { refused: `There is no step ${step}` };
  const whole = [...root, ...placeOf(flow, step, path, language)];
  const now = valueAt(flow, whole);
  const verb = value === undefined || now !== undefined ? undefined : verbOf(language, path[0]);
  const lifted = verb && shortChange(flow, whole, verb, value!);
  return lifted ?? valueChanges(flow, { path: whole, value, written }, language);
}

/** Changes that set the value at a path of the flow. Undefined clears it, with the maps that would become empty. */
export function valueChanges(
  flow: JsonObject,
  { path, value, written }: { path: Path; value: Json | undefined; written?: string | undefined },
  language: Language,
): Change[] {
  const now = valueAt(flow, path);
  const literal = written === undefined ? {} : { written };
  if (value === undefined) return now === undefined ? [] : cleared(flow, path, language);
  if (now === undefined) return [added(flow, path, value, language, written)];
  return isEqualJson(now, value) ? [] : [{ do: 'set', path, value, ...literal }];
}

/** Path of an argument below its step. In short form, the value is at the verb itself. */
export function placeOf(flow: JsonObject, step: string, path: Path, language: Language): Path {
  const [name, key, ...rest] = path;
  const short = verbOf(language, name)?.short;
  if (short === undefined || key !== short) return path;
  const written = valueAt(flow, ['steps', step, name!]);
  return written === undefined || written === null || isObject(written) ? path : [name!, ...rest];
}

/** Value of an argument, also in short form. */
export const argumentAt = (flow: JsonObject, step: string, path: Path, language: Language): Json | undefined =>
  valueAt(flow, ['steps', step, ...placeOf(flow, step, path, language)]);

/** Changes for a step whose arguments are written short. */
function shortChange(
  flow: JsonObject,
  [steps, step, name, key, ...rest]: Path,
  { short, schema }: LanguageVerb,
  value: Json,
): Change[] | EditRefusal | undefined {
  const at: Path = [steps!, step!, name!];
  const written = valueAt(flow, at);
  if (key === undefined || written === undefined || written === null || isObject(written)) return undefined;
  if (short === undefined || schema.properties?.[key] === undefined) {
    return { refused: `${name} is written short`, hint: 'write it as a map first' };
  }
  return [{ do: 'lift', path: at, key: short, pairs: { [key]: nested(rest, value) } }];
}

const nested = (path: Path, value: Json): Json => path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);

function added(flow: JsonObject, whole: Path, value: Json, language: Language, written: string | undefined): Change {
  let length = whole.length - 1;
  while (valueAt(flow, whole.slice(0, length)) === undefined) length -= 1;
  const holder = whole.slice(0, length);
  const map = valueAt(flow, holder);
  const key = String(whole[length]);
  if (Array.isArray(map)) return { do: 'insert', path: holder, index: map.length, value };
  const literal = written === undefined || length < whole.length - 1 ? {} : { written: `${key}: ${written}` };
  const made = { do: 'add', path: holder, key, value: nested(whole.slice(length + 1), value), ...literal } as const;
  const keys = keysAt(flow, holder);
  if (keys.length === 0) return made;
  const order = orderOf(holder, language);
  const rank = order.indexOf(key);
  const before = rank < 0 ? [] : keys.filter((name) => order.includes(name) && order.indexOf(name) < rank);
  const after = before.toSorted((one, other) => order.indexOf(other) - order.indexOf(one))[0];
  if (after !== undefined) return { ...made, after };
  return rank < 0 ? made : { ...made, first: true };
}

/** Keys of a map in the order of its schema. */
function orderOf(holder: Path, language: Language): readonly string[] {
  if (isStep(holder)) return [...Object.keys(language.verbs), ...STEP_ORDER, 'next', 'exits'];
  return Object.keys(keyOfPath(language, holder)?.properties ?? {});
}

const isStep = (path: Path): boolean => path.length === 2 && path[0] === 'steps';

/** Removes a value, and the optional maps and lists that would become empty. */
function cleared(flow: JsonObject, whole: Path, language: Language): Change[] {
  let path = whole;
  const least = path[0] === 'steps' ? 3 : 1;
  while (path.length > least && sizeOf(valueAt(flow, path.slice(0, -1))) === 1) {
    const holder = path.slice(0, -1);
    if (holder.length <= least && verbOf(language, holder[2]) !== undefined) break;
    if (isRequired(holder, language)) break;
    path = holder;
  }
  const holder = path.slice(0, -1);
  const rest = valueAt(flow, holder);
  if (sizeOf(rest) === 1) return [{ do: 'set', path: holder, value: Array.isArray(rest) ? [] : {} }];
  return [{ do: typeof path.at(-1) === 'number' ? 'removeItem' : 'remove', path }];
}

function isRequired(path: Path, language: Language): boolean {
  const required = keyOfPath(language, path.slice(0, -1))?.required;
  return Array.isArray(required) && required.includes(String(path.at(-1)));
}

const sizeOf = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
