/** Readers of arguments. What a schema checked has its type already; what is only written may be anything. */
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';

export const durationMs = (text: string): number => parseDuration(text) ?? 0;

/** One of them, several of them, or none. */
export function list<Item>(value: Item | readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value as Item];
}

export const mapIn = (value: unknown): JsonObject => (isObject(value as Json) ? (value as JsonObject) : {});
