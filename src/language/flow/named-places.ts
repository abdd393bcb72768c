/**
 * Places at which the arguments of a verb name other parts: steps, flows, prompts, parties and more. The places are the
 * keyword `names` of the schemas; browsers receive them by `GET /admin/v1/language`.
 */
import { isObject, type Json, mapValues } from '../../base/core/json.ts';

/**
 * Use of a flow by a step: `calls` runs it and has its outcomes, `runs` runs it next to the step, `continues` hands the
 * call over to it, and `begins` starts another call with it.
 */
export type FlowUse = 'calls' | 'runs' | 'continues' | 'begins';

/** Kind of part that a value names. A file contains a JSON Schema, or a text. */
export type Named =
  | ('step' | 'prompt' | 'party' | 'number' | 'schedule' | 'event' | 'queue' | 'conference' | 'room' | 'assistant')
  | { readonly flow: FlowUse }
  | { readonly file: 'schema' | 'text' };

/** By JSON pointer below the arguments, in which `#` stands for every index and `*` for every key. */
export type NamedPlaces = Readonly<Record<string, Named>>;

export type ValuePath = readonly (string | number)[];

/** Pointers of the places that name this. */
export const placesNaming = (places: NamedPlaces | undefined, named: Named): readonly string[] =>
  pointersByName(places).get(named) ?? [];

/** Pointers of the places that name flows, with their uses. */
export const flowPlaces = (places: NamedPlaces | undefined): [pointer: string, use: FlowUse][] =>
  [...pointersByName(places)].flatMap(([named, pointers]) =>
    typeof named === 'object' && 'flow' in named
      ? pointers.map((pointer): [string, FlowUse] => [pointer, named.flow])
      : [],
  );

const NO_POINTERS: ReadonlyMap<Named, readonly string[]> = new Map();
const sorted = new WeakMap<NamedPlaces, ReadonlyMap<Named, readonly string[]>>();

/** Pointers by what they name; sorted once for each verb, because every step of a flow is asked. */
function pointersByName(places: NamedPlaces | undefined): ReadonlyMap<Named, readonly string[]> {
  if (places === undefined) return NO_POINTERS;
  const known = sorted.get(places) ?? Map.groupBy(Object.keys(places), (pointer) => places[pointer]!);
  sorted.set(places, known);
  return known;
}

/** Values at a pointer of a place, with their paths. */
export function* valuesAt(
  value: Json | undefined,
  pointer: string,
  path: ValuePath = [],
): Generator<[path: ValuePath, value: Json]> {
  const [key, ...rest] = pointer.split('/').slice(1);
  if (value === undefined) return;
  if (key === undefined) {
    yield [path, value];
    return;
  }
  const below = rest.map((each) => `/${each}`).join('');
  if (Array.isArray(value)) {
    if (key === '#') for (const [index, item] of value.entries()) yield* valuesAt(item, below, [...path, index]);
  } else if (isObject(value)) {
    const keys = key === '*' ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
    for (const each of keys) yield* valuesAt(value[each], below, [...path, each]);
  }
}

/** Copy of a value with other values at a pointer. */
export function changedAt(value: Json, pointer: string, change: (value: Json) => Json): Json {
  const [key, ...rest] = pointer.split('/').slice(1);
  if (key === undefined) return change(value);
  const below = rest.map((each) => `/${each}`).join('');
  const inner = (each: Json): Json => changedAt(each, below, change);
  if (Array.isArray(value)) return key === '#' ? value.map(inner) : value;
  if (!isObject(value)) return value;
  if (key === '*') return mapValues(value, inner);
  return Object.hasOwn(value, key) ? { ...value, [key]: inner(value[key]!) } : value;
}

/** Names of flows that arguments contain, with their uses; names with templates are left out. */
export const flowsNamedIn = (places: NamedPlaces | undefined, args: Json): { flow: string; use: FlowUse }[] =>
  flowPlaces(places).flatMap(([pointer, use]) =>
    [...valuesAt(args, pointer)].flatMap(([, flow]) =>
      typeof flow === 'string' && !flow.includes('${') ? [{ flow, use }] : [],
    ),
  );

/** Kind of part that the value at a path below the arguments names. Items of a list belong to the place of the list. */
export function namedAt(places: NamedPlaces | undefined, path: ValuePath): Named | undefined {
  for (const [pointer, named] of Object.entries(places ?? {})) {
    const keys = pointer.split('/').slice(1);
    const isHere = keys.every((key, index) => isAtKey(path[index], key));
    if (isHere && path.slice(keys.length).every((part) => typeof part === 'number')) return named;
  }
  return undefined;
}

function isAtKey(part: string | number | undefined, key: string): boolean {
  if (key === '#') return typeof part === 'number';
  return key === '*' ? typeof part === 'string' : key === part;
}
