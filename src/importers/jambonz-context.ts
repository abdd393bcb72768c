/** What verbs of jambonz need of the document that they stand in. Neighbours: `jambonz.ts`, `jambonz-parties.ts`, `jambonz-gather.ts`. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { type JsonVerb, objectAt, wordsAt } from './json-verbs.ts';
import type { SentAlong } from './url-answers.ts';
import type { UnitMaker } from './verb-unit.ts';

export interface JambonzContext extends UnitMaker<JsonVerb> {
  readonly sounds: ReadonlySet<string>;
  /** Whether it is what callers hear while they wait. */
  readonly isHeardInQueue: boolean;
  /** A language that is recognised, where the document names one. */
  languageOf(fields: JsonObject): string | undefined;
  /** What the document of the hook does, else the next verb. */
  after(fields: JsonObject, node: ImportedNode, sent?: SentAlong): (next: string) => string;
  /** A flow of the document at a URL, which callers hear while they wait, and what it returns; undefined: it is not known. */
  waitingFlow(url: string): { flow: string; outcomes: readonly string[] } | undefined;
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

/** Hooks whose documents are not for the caller, or not in the place of the verb. */
export const asideHooks = ({ name, fields }: JsonVerb): string[] => {
  const targets = [fields['target']].flat().filter(isObject);
  const hooks = name === 'dial' ? [fields, ...targets].map((each) => hookAt(each, 'confirmHook')) : [];
  if (name === 'enqueue' || name === 'conference') hooks.push(hookAt(fields, 'waitHook'));
  return hooks.filter((hook) => hook !== undefined);
};
