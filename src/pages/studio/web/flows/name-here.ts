/** Name that the author has selected: in a row of the form, at the cursor, or by the selection of the graph. */

import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { OUTCOME_NAME } from '../../../../language/flow/name-patterns.ts';
import { namedAt } from '../../../../language/flow/named-places.ts';
import { localFlowAt, namesOfPart } from '../../../../language/flow/text/local-names.ts';
import { type NamesInFlow, nameAt } from '../../../../language/flow/text/names.ts';
import type { Word } from '../../../../language/flow/text/scan-yaml.ts';
import { isDefinedIn, type NameInFile } from '../renames/renamed.ts';
import type { EditorParts } from './editor-parts.ts';

/** Undefined if nothing is selected that has a name. */
export function nameToRename({ draft, cursor, language }: EditorParts): NameInFile | undefined {
  const { words } = draft.names.peek();
  const row = document.activeElement?.closest<HTMLElement>('[data-name-kind]')?.dataset;
  if (row !== undefined) return { kind: row['nameKind'] as NameInFile['kind'], name: row['name']! };
  const isInText = document.activeElement?.closest('.cm-editor') !== null;
  const touched = isInText ? nameAtCursor(draft.text.peek(), words, cursor.peek(), language.verbs) : undefined;
  if (touched !== undefined) return touched;
  const section = sectionOf(draft.several.names, draft.graph.steps);
  if (section !== undefined) return { kind: 'section', name: section };
  const step = draft.selected.peek();
  return step === undefined ? undefined : { kind: 'step', name: step };
}

/** Section whose steps are selected, all of them and no others. */
export function sectionOf(
  selected: readonly string[],
  steps: readonly { name: string; section?: string | undefined }[],
): string | undefined {
  const section = steps.find(({ name }) => name === selected[0])?.section;
  if (section === undefined || selected.length < 2) return undefined;
  const members = steps.filter((step) => step.section === section).map(({ name }) => name);
  return members.toSorted().join() === selected.toSorted().join() ? section : undefined;
}

/** Name in the text at an offset. A local flow sees the prompts and schedules of its file, and all local flows. */
export function nameAtCursor(
  text: string,
  words: readonly Word[],
  at: number,
  verbs: GraphLanguage,
): NameInFile | undefined {
  const within = localFlowAt(words, at);
  const word = words.find(({ from, to }) => from <= at && at <= to);
  const path = (word?.path ?? []).slice(within === undefined ? 0 : 2);
  const found = (word && nameOfWord(word, path, verbs)) ?? nameIn(namesOfPart(text, verbs, words, within), at);
  if (found === undefined) return undefined;
  const own = { ...found, within };
  if (isDefinedIn(words, own)) return own;
  const shared = { ...found, within: undefined };
  return isDefinedIn(words, shared) ? shared : undefined;
}

function nameIn(names: NamesInFlow, at: number): NameInFile | undefined {
  const found = nameAt(names, at);
  return found && { kind: found.kind, name: found.name };
}

/** Names that `names.ts` does not list. `path`: of the word in its flow. */
function nameOfWord(word: Word, path: Word['path'], verbs: GraphLanguage): NameInFile | undefined {
  const [top, step, verb] = path.map(String);
  const { kind, text: name } = word;
  if (kind === 'key' && top === 'schedules' && path.length === 2) return { kind: 'schedule', name };
  if (top !== 'steps') return undefined;
  if (kind !== 'key' && verb === 'section' && path.length === 3) return { kind: 'section', name };
  const isChoice = kind === 'key' && path.length > 3 && ['exits', 'choices', 'arms'].includes(String(path.at(-2)));
  if (isChoice && OUTCOME_NAME.test(name)) return { kind: 'choice', name, step };
  const places = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb]!.names : undefined;
  return kind !== 'key' && namedAt(places, path.slice(3)) === 'schedule' ? { kind: 'schedule', name } : undefined;
}
