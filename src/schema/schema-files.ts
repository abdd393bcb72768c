/** Reads the JSON Schemas in `schemas/`: language, configuration, tests and requests. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../core/json.ts';
import { programFile } from '../core/program-files.ts';

export const SCHEMAS = pathToFileURL(programFile('schemas/'));

/** `name` is the path below `schemas/` without the ending: `verbs/play`. */
export const readSchema = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, SCHEMAS), 'utf8')) as JsonObject;

/** Description including the default, for readers that do not know the annotation `otherwise`. */
export function describe({ description, otherwise }: JsonObject): { description?: string } {
  const words = [description, otherwise === undefined ? undefined : `Default: ${String(otherwise)}.`].filter(Boolean);
  return words.length === 0 ? {} : { description: words.join(' ') };
}
