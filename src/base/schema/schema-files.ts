/** Reads the JSON Schemas in `schemas/`: language, configuration, tests and requests; and those of verbs. */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../core/json.ts';
import { programFile } from '../core/program-files.ts';

export const SCHEMAS = pathToFileURL(programFile('schemas/'));

/** Folders of verbs; the name of a folder is that of the verb. */
const VERBS = new URL('../../verbs/', import.meta.url);

/** `name` is the path below `schemas/` without the ending: `api/call`. */
export const readSchema = (name: string): JsonObject => readJson(new URL(`${name}.schema.json`, SCHEMAS));

/** Verbs with the schemas of their arguments, by name. */
export const readVerbSchemas = (): [verb: string, schema: JsonObject][] =>
  readdirSync(VERBS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((verb) => [verb, readJson(new URL(`${verb}/schema.json`, VERBS))]);

const readJson = (file: URL): JsonObject => JSON.parse(readFileSync(file, 'utf8')) as JsonObject;

/** Description including the default, for readers that do not know the annotation `otherwise`. */
export function describe({ description, otherwise }: JsonObject): { description?: string } {
  const words = [description, otherwise === undefined ? undefined : `Default: ${String(otherwise)}.`].filter(Boolean);
  return words.length === 0 ? {} : { description: words.join(' ') };
}
