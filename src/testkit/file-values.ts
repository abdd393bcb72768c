/** Reading values of a scenario that the schema has checked. */
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';

export const parseMs = (written: Json): number => parseDuration(String(written)) ?? 0;

export const optionalMs = <Key extends string>(key: Key, written: Json | undefined): { [K in Key]?: number } =>
  written === undefined ? {} : ({ [key]: parseMs(written) } as { [K in Key]: number });

export const objectAt = (written: JsonObject, key: string): JsonObject => {
  const value = written[key];
  return isObject(value) ? value : {};
};

export const listAt = (written: JsonObject, key: string): Json[] => {
  const value = written[key];
  return Array.isArray(value) ? value : [];
};

export const stringsIn = (written: Json | undefined): string[] =>
  written === undefined ? [] : [written].flat().map(String);
