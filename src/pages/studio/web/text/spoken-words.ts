/**
 * Prompt texts of a step, for editing without knowledge of the language. They can be in the step or in `prompts`. Pure.
 * `edit.ts` writes changes.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { type GraphLanguage, verbOf } from '../../../../language/flow/graph.ts';
import { placesNaming, valuesAt } from '../../../../language/flow/named-places.ts';
import { type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { edited } from './edit.ts';

export interface SpokenWords {
  /** Path in the flow: `prompts.welcome`, or inside the step. */
  path: Path;
  /** Purpose of the text. */
  label: string;
  text: string;
}

/** Texts in the order of the source, without duplicates. */
export function spokenWords(text: string, step: string, verbs: GraphLanguage): SpokenWords[] {
  const source = openText(text);
  if (isRefusal(source)) return [];
  const { value: flow } = source;
  const found = new Map<string, SpokenWords>();
  const add = (path: Path, label: string, written: Json | undefined): void => {
    if (typeof written === 'string') found.set(JSON.stringify(path), { path, label, text: written });
  };
  for (const { path, key, said } of promptPlaces(flow, step, verbs)) {
    const prompts = flow['prompts'];
    if (!isObject(prompts) || !Object.hasOwn(prompts, said)) {
      // A single word is the name of a file or of a missing prompt.
      if (/\s/.test(said)) add(path, key, said);
      continue;
    }
    const named = prompts[said];
    add(['prompts', said], said, named);
    if (!isObject(named)) continue;
    for (const [part, written] of Object.entries(named)) {
      if (part === 'text') add(['prompts', said, part], said, written);
      else if (LANGUAGE.test(part)) add(['prompts', said, part], `${said}, ${part}`, written);
    }
  }
  return [...found.values()];
}

/** Arguments of a step that contain a prompt name or text. `key` is the name of the argument. */
export function promptPlaces(
  flow: JsonObject,
  step: string,
  verbs: GraphLanguage,
): { path: Path; key: string; said: string }[] {
  const found: { path: Path; key: string; said: string }[] = [];
  const visit = (path: Path, key: string): void => {
    const value = valueAt(flow, path);
    if (typeof value === 'string') found.push({ path, key, said: value });
    else if (Array.isArray(value)) for (const index of value.keys()) visit([...path, index], key);
    // In a prompt object, only `text` is spoken.
    else if (isObject(value) && value['text'] !== undefined) visit([...path, 'text'], key);
  };
  const written = valueAt(flow, ['steps', step]);
  const verb = isObject(written) ? verbOf(written, verbs) : '';
  const args = valueAt(flow, ['steps', step, verb]);
  for (const pointer of placesNaming(Object.hasOwn(verbs, verb) ? verbs[verb]!.names : undefined, 'prompt')) {
    for (const [path] of valuesAt(args, pointer)) {
      visit(['steps', step, verb, ...path], pointer.split('/').findLast((key) => key !== '' && key !== '*') ?? verb);
    }
  }
  return found;
}

/** `en-US`, `fr`. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Changes the texts at the paths of `spokenWords`; equal texts are not written. */
export const changeWords = (text: string, changes: readonly { path: Path; text: string }[]): Edits =>
  edited(text, ({ value }) =>
    changes
      .filter((change) => valueAt(value, change.path) !== change.text)
      .map((change) => ({ do: 'set', path: change.path, value: change.text })),
  );
