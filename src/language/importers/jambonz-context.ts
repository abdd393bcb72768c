/**
 * Interface between the converters of jambonz verbs and their document (`jambonz.ts`). Used by `jambonz-parties.ts` and
 * `jambonz-gather.ts`.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { type JsonVerb, objectAt, wordsAt } from './json-verbs.ts';
import { passOver, unviewed } from './source-views.ts';
import type { SentAlong } from './url-answers.ts';
import type { UnitMaker } from './verb-unit.ts';

export interface JambonzContext extends UnitMaker<JsonVerb> {
  readonly sounds: ReadonlySet<string>;
  /** True if the document plays to callers who wait in a queue. */
  readonly isHeardInQueue: boolean;
  /** Recognition language, if the document sets one. */
  languageOf(fields: JsonObject): string | undefined;
  /** Target after a verb: the document of its action hook, or else the next verb. */
  after(fields: JsonObject, node: ImportedNode, sent?: SentAlong): (next: string) => string;
  /**
   * Flow for a document at a URL that plays to waiting callers, and its outcomes. Undefined if the document is unknown.
   */
  waitingFlow(url: string): { flow: string; outcomes: readonly string[] } | undefined;
  /** Prompts of a verb. Undefined if it has none, or if a sound is missing. */
  piecesOf(verb: JsonVerb, node: ImportedNode): Json[] | undefined;
}

/** URL of a webhook, given as a text or in an object. */
export function hookAt(fields: JsonObject, key = 'actionHook'): string | undefined {
  const hook = objectAt(fields, key);
  // The flow contains the response, so that no request is made.
  passOver(hook, ['method', 'username', 'password']);
  return wordsAt(fields, key) ?? wordsAt(hook, 'url');
}

/** SIP headers with literal values. Undefined if there are none. */
export function headersAt(fields: JsonObject): JsonObject | undefined {
  const headers = Object.entries(objectAt(fields, 'headers')).map(([name, value]) => [name, textOf(String(value))]);
  return headers.length === 0 ? undefined : (Object.fromEntries(headers) as JsonObject);
}

/** Hooks whose documents are not for the caller, or do not replace the verbs after this one. */
export const asideHooks = ({ name, fields: view }: JsonVerb): string[] => {
  const fields = unviewed(view);
  const targets = [fields['target']].flat().filter(isObject);
  const hooks = name === 'dial' ? [fields, ...targets].map((each) => hookAt(each, 'confirmHook')) : [];
  if (name === 'enqueue' || name === 'conference') hooks.push(hookAt(fields, 'waitHook'));
  return hooks.filter((hook) => hook !== undefined);
};
