/** Readers of rendered arguments: the schema has checked them, these give them their types and defaults. */
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';

/** The object form of arguments that may also be written short: `play: welcome` is `play: { prompt: welcome }`. */
export function longForm(value: Json, shortKey: string): JsonObject {
  if (isObject(value) && Object.hasOwn(value, shortKey)) return value;
  return value === null ? {} : { [shortKey]: value };
}

export function durationMs(value: Json | undefined, fallbackMs: number): number {
  return (typeof value === 'string' ? parseDuration(value) : undefined) ?? fallbackMs;
}

export function flag(value: Json | undefined, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback;
}

export function count(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

export function text(value: Json | undefined, fallback = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}
