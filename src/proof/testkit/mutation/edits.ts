/** Edits of a document without changing the original: each returns a copy with one change. */
import { isObject, type Json } from '../../../base/core/json.ts';
import { pointerKeys } from '../../../base/schema/document.ts';

/** Copy with this value at the pointer. */
export const replaced = (whole: Json, pointer: string, value: Json): Json =>
  changed(whole, pointerKeys(pointer), () => value);

/** Copy without an entry of a map or an item of a list. */
export const removed = (whole: Json, pointer: string): Json => changed(whole, pointerKeys(pointer), () => undefined);

/** Copy with a renamed key, which keeps its position. */
export function renamed(whole: Json, pointer: string, key: string): Json {
  const keys = pointerKeys(pointer);
  const old = keys.at(-1);
  return changed(whole, keys.slice(0, -1), (map) =>
    isObject(map)
      ? Object.fromEntries(Object.entries(map).map(([each, value]) => [each === old ? key : each, value]))
      : map,
  );
}

function changed(value: Json, keys: readonly string[], change: (value: Json) => Json | undefined): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return change(value) ?? null;
  const inside = (inner: Json): Json | undefined => (rest.length === 0 ? change(inner) : changed(inner, rest, change));
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const made = index === Number(key) ? inside(item) : item;
      return made === undefined ? [] : [made];
    });
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([each, inner]) => [each, each === key ? inside(inner) : inner] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
