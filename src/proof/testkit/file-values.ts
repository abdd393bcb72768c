/** Converts values of a validated scenario. */
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

export const parseMs = (written: Json): number => parseDuration(String(written)) ?? 0;

export const optionalMs = (written: Json | undefined): number | undefined =>
  written === undefined ? undefined : parseMs(written);

export const objectAt = (written: JsonObject, key: string): JsonObject => {
  const value = written[key];
  return isObject(value) ? value : {};
};

export const stringsIn = (written: Json | undefined): string[] =>
  written === undefined ? [] : [written].flat().map(String);
