/**
 * Flows of one text: finds the flow that contains a position, and the names of each flow separately. Related:
 * `names.ts`.
 */
import type { GraphLanguage } from '../graph.ts';
import { type Name, type NamesInFlow, namesIn } from './names.ts';
import type { Word } from './scan-yaml.ts';

/** Name of the local flow that contains the cursor; undefined in the main flow. */
export function localFlowAt(words: readonly Word[], at: number): string | undefined {
  const path = words.findLast(({ from }) => from <= at)?.path ?? [];
  // The name of the local flow itself belongs to the main flow.
  return path[0] === 'flows' && path.length > 2 ? String(path[1]) : undefined;
}

export const localFlowsIn = (words: readonly Word[]): Name[] =>
  words.flatMap(({ kind, path, text, from, to }) => {
    if (kind !== 'key' || path[0] !== 'flows' || path.length !== 2) return [];
    const quotes = to - from - text.length === 2 ? 1 : 0;
    return [{ kind: 'flow' as const, name: text, from: from + quotes, to: to - quotes }];
  });

/** Names of one flow of the text; a local flow also sees the prompts of its file. */
export function namesOfPart(
  text: string,
  verbs: GraphLanguage,
  words: readonly Word[],
  local: string | undefined,
): NamesInFlow {
  const main = namesIn(
    text,
    verbs,
    words.filter(({ path }) => path[0] !== 'flows' || path.length < 2),
  );
  if (local === undefined) return { ...main, defined: [...main.defined, ...localFlowsIn(words)] };
  const inside = words.flatMap((word) =>
    word.path[0] === 'flows' && word.path[1] === local && word.path.length > 2
      ? [{ ...word, path: word.path.slice(2) }]
      : [],
  );
  const own = namesIn(text, verbs, inside);
  const shared = main.defined.filter(({ kind }) => kind === 'prompt');
  return { ...own, defined: [...own.defined, ...shared, ...localFlowsIn(words)] };
}

/** Definition of a local flow, and its uses in all flows of the text. */
export function placesOfFlow(text: string, verbs: GraphLanguage, words: readonly Word[], name: string): Name[] {
  const parts = [undefined, ...localFlowsIn(words).map((local) => local.name)];
  const used = parts.flatMap((part) => namesOfPart(text, verbs, words, part).used);
  return [...localFlowsIn(words), ...used].filter((each) => each.kind === 'flow' && each.name === name);
}
