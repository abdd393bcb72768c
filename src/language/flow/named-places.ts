/**
 * Places at which the arguments of a verb name other parts: steps, flows, prompts, parties and more. The places are the
 * keyword `names` of the schemas; browsers receive them by `GET /admin/v1/language`.
 */
import { isObject, type Json, mapValues } from '../../base/core/json.ts';

/**
 * Use of a flow by a step: `calls` runs it and has its outcomes, `runs` runs it next to the step, `waits` does so while
 * the caller waits in a queue, `continues` hands the
 * call over to it, and `begins` starts another call with it.
 */
export type FlowUse = 'calls' | 'runs' | 'waits' | 'continues' | 'begins';

/** Kind of part that a value names. A file contains a JSON Schema, or a text. */
export type Named =
  | ('step' | 'prompt' | 'party' | 'number' | 'schedule' | 'event' | 'queue' | 'conference' | 'room' | 'assistant')
  | { readonly flow: FlowUse }
  | { readonly file: 'schema' | 'text' };

/** By JSON pointer below the arguments, in which `#` stands for every index and `*` for every key. */
export type NamedPlaces = Readonly<Record<string, Named>>;

export type ValuePath = readonly (string | number)[];

/** Pointers of the places that name this kind of part. */
export const placesNaming = (places: NamedPlaces | undefined, kind: NamedKind): string[] =>
  placesOf(places, kind).map(([pointer]) => pointer);

/** Pointers of the places that name flows, with their uses. */
export const flowPlaces = (places: NamedPlaces | undefined): readonly Place<FlowUse>[] => placesOf(places, 'flow');

/** Pointers of the places that name files, with the content of the files. */
export const filePlaces = (places: NamedPlaces | undefined): readonly Place<'schema' | 'text'>[] =>
  placesOf(places, 'file');

/** Kind of a named part, without its use or content. */
export type NamedKind = Extract<Named, string> | 'flow' | 'file';
type Place<Detail> = readonly [pointer: string, detail: Detail];

const byKind = new WeakMap<NamedPlaces, ReadonlyMap<string, readonly Place<unknown>[]>>();

/** Sorted by kind once for each verb, because every step of a flow asks. */
function placesOf<Detail>(places: NamedPlaces | undefined, kind: NamedKind): readonly Place<Detail>[] {
  if (places === undefined) return [];
  const known = byKind.get(places) ?? sortedByKind(places);
  byKind.set(places, known);
  return (known.get(kind) ?? []) as readonly Place<Detail>[];
}

function sortedByKind(places: NamedPlaces): ReadonlyMap<string, readonly Place<unknown>[]> {
  const sorted = new Map<string, Place<unknown>[]>();
  for (const [pointer, named] of Object.entries(places)) {
    const [kind, detail] = typeof named === 'string' ? [named, undefined] : Object.entries(named)[0]!;
    sorted.set(kind, [...(sorted.get(kind) ?? []), [pointer, detail]]);
  }
  return sorted;
}

const keysOf = (pointer: string): string[] => pointer.split('/').slice(1);

/** Values at a pointer of a place, with their paths. */
export function valuesAt(value: Json | undefined, pointer: string): FoundValue[] {
  const found: FoundValue[] = [];
  addBelow(found, value, keysOf(pointer), []);
  return found;
}

type FoundValue = [path: ValuePath, value: Json];

/** The length of the path is the number of keys that were followed. */
function addBelow(
  found: FoundValue[],
  value: Json | undefined,
  keys: readonly string[],
  path: readonly (string | number)[],
): void {
  const key = keys[path.length];
  if (value === undefined) return;
  if (key === undefined) {
    found.push([path, value]);
  } else if (Array.isArray(value)) {
    if (key === '#') for (const [index, item] of value.entries()) addBelow(found, item, keys, [...path, index]);
  } else if (isObject(value)) {
    const known = key === '*' ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
    for (const each of known) addBelow(found, value[each], keys, [...path, each]);
  }
}

/** Copy of a value with other values at a pointer. */
export const changedAt = (value: Json, pointer: string, change: (value: Json) => Json): Json =>
  changedBelow(value, keysOf(pointer), change);

function changedBelow(value: Json, [key, ...below]: readonly string[], change: (value: Json) => Json): Json {
  if (key === undefined) return change(value);
  const inner = (each: Json): Json => changedBelow(each, below, change);
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
    const keys = keysOf(pointer);
    const isHere = keys.every((key, index) => isAtKey(path[index], key));
    if (isHere && path.slice(keys.length).every((part) => typeof part === 'number')) return named;
  }
  return undefined;
}

function isAtKey(part: string | number | undefined, key: string): boolean {
  if (key === '#') return typeof part === 'number';
  return key === '*' ? typeof part === 'string' : key === part;
}
