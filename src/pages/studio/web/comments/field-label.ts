/** Label of a field in the form of its step. The path, if the form has no such field. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { allFields, formOf } from '../form/fields.ts';
import { loadedLanguage } from '../text/load-language.ts';

export function labelOfField({ steps }: FlowGraph, step: string | undefined, path: string): string {
  const verb = steps.find(({ name }) => name === step)?.verb;
  const language = loadedLanguage.value;
  if (verb === undefined || language === undefined) return path;
  return allFields(formOf(language, verb)).find((field) => field.path.join('.') === path)?.label ?? path;
}
