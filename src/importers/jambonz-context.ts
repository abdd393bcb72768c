/** What verbs of jambonz need of the document that they stand in. Neighbours: `jambonz.ts`, `jambonz-parties.ts`, `jambonz-gather.ts`. */
import type { Json, JsonObject } from '../core/json.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { type JsonVerb, objectAt, wordsAt } from './json-verbs.ts';
import type { UnitMaker } from './verb-unit.ts';

export interface JambonzContext extends UnitMaker<JsonVerb> {
  readonly sounds: ReadonlySet<string>;
  /** A language that is recognised, where the document names one. */
  languageOf(fields: JsonObject): string | undefined;
  /** What the document of the hook does, else the next verb. */
  after(fields: JsonObject, node: ImportedNode): (next: string) => string;
  /** What is said or played; undefined where it is neither, or a sound is missing. */
  piecesOf(verb: JsonVerb, node: ImportedNode): Json[] | undefined;
}

/** The URL of a webhook, which may stand alone or in an object. */
export const hookAt = (fields: JsonObject, key = 'actionHook'): string | undefined =>
  wordsAt(fields, key) ?? wordsAt(objectAt(fields, key), 'url');

/** SIP headers with values as they stand; undefined where there are none. */
export function headersAt(fields: JsonObject): JsonObject | undefined {
  const headers = Object.entries(objectAt(fields, 'headers')).map(([name, value]) => [name, textOf(String(value))]);
  return headers.length === 0 ? undefined : (Object.fromEntries(headers) as JsonObject);
}
