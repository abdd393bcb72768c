/** Readers of arguments, also of arguments as written in a flow, whose types are not checked. */
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

export const durationMs = (text: string): number => parseDuration(text) ?? 0;

/** Converts one value, a list or an absent value to a list. */
export function list<Item>(value: Item | readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value as Item];
}

export const mapIn = (value: unknown): JsonObject => (isObject(value as Json) ? (value as JsonObject) : {});
