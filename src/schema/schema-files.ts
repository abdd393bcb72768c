/** The JSON Schemas of `schemas/`: of the language, of the configuration, of tests and of requests. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../core/json.ts';
import { programFile } from '../core/program-files.ts';

export const SCHEMAS = pathToFileURL(programFile('schemas/'));

/** `name` is the path below `schemas/` without the ending: `verbs/play`. */
export const readSchema = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, SCHEMAS), 'utf8')) as JsonObject;

/**
 * The description with what holds where the value is left out, for readers that know `default` but not our `otherwise`: the
 * same in words, where it is not a fixed value.
 */
export function describe({ description, otherwise }: JsonObject): { description?: string } {
  const words = [description, otherwise === undefined ? undefined : `Default: ${String(otherwise)}.`].filter(Boolean);
  return words.length === 0 ? {} : { description: words.join(' ') };
}
