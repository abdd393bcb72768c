/** Differences between two texts of a flow, for the drawing and as a list. `graph/diff.ts` compares the graphs. */
import { canonical, isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { type FlowGraph, type GraphLanguage, graphOf } from '../../../../language/flow/graph.ts';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { diffOf, type VersionDiff, WENT } from '../graph/diff.ts';
import { exitId } from '../graph/drawing.ts';
import type { DiffMark } from '../graph/overlays.ts';

export interface TextDiff extends VersionDiff {
  /** Changed steps, in the order of the drawing. */
  steps: { name: string; change: DiffMark }[];
  /** Changed top-level keys, such as `prompts`. */
  heads: string[];
  /** Summary in a sentence. */
  words: string;
}

export function diffTexts(before: string, after: string, verbs: GraphLanguage): TextDiff {
  const [was, is] = [flowIn(before), flowIn(after)];
  const seen = diffOf(graphFrom(was, verbs), graphFrom(is, verbs));
  const steps = new Map(seen.overlays.steps);
  const [old, now] = [stepsIn(was), stepsIn(is)];
  for (const [name, step] of Object.entries(now)) {
    // Also finds changes that no card shows, such as the prompt of a retry.
    if (!steps.has(name) && Object.hasOwn(old, name) && !isSame(old[name], step)) steps.set(name, 'changed');
  }
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const heads = keys.filter((key) => key !== 'steps' && !isSame(was[key], is[key]));
  const listed = seen.graph.steps.flatMap(({ name }) => {
    const change = steps.get(name);
    return change === undefined ? [] : [{ name, change }];
  });
  return {
    graph: seen.graph,
    overlays: { ...seen.overlays, steps },
    steps: listed,
    heads,
    words: wordsOf([...steps.values()], waysChanged(seen), heads),
  };
}

function flowIn(text: string): JsonObject {
  const { value } = readFlow(text);
  return isObject(value as Json) ? (value as JsonObject) : {};
}

const graphFrom = (value: JsonObject, verbs: GraphLanguage): FlowGraph => graphOf(value, { verbs });
const stepsIn = ({ steps }: JsonObject): JsonObject => (isObject(steps) ? steps : {});
const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === undefined || other === undefined ? one === other : canonical(one) === canonical(other);

/** Number of changed exits in steps of both versions. A moved exit appears twice in the graph and counts once. */
function waysChanged({ graph, overlays }: VersionDiff): number {
  const changed = graph.steps.filter(({ name }) => overlays.steps.get(name) === 'changed');
  return changed.reduce((sum, { name, exits }) => {
    const moved = exits.filter(({ outcome }) => overlays.exits.has(exitId(name, outcome)));
    return sum + new Set(moved.map(({ outcome }) => outcome.replace(WENT, ''))).size;
  }, 0);
}

type Counted = Readonly<Record<'added' | 'removed' | 'changed', (count: number) => string>>;
const FIRST: Counted = {
  added: (count) => t('{count, plural, one {# step} other {# steps}} added', { count }),
  removed: (count) => t('{count, plural, one {# step} other {# steps}} removed', { count }),
  changed: (count) => t('{count, plural, one {# step} other {# steps}} changed', { count }),
};
/** Steps are named before. */
const OTHERS: Counted = {
  added: (count) => t('{count} added', { count }),
  removed: (count) => t('{count} removed', { count }),
  changed: (count) => t('{count} changed', { count }),
};

function wordsOf(changes: readonly DiffMark[], ways: number, heads: readonly string[]): string {
  const count = (change: DiffMark): number => changes.filter((each) => each === change).length;
  const steps = (['added', 'removed', 'changed'] as const)
    .filter((change) => count(change) > 0)
    .map((change, index) => (index === 0 ? FIRST[change](count(change)) : OTHERS[change](count(change))));
  const said = [
    ...steps,
    ...(ways > 0 ? [t('{count, plural, one {# way} other {# ways}} changed', { count: ways })] : []),
  ];
  if (heads.length > 0) said.push(t('{heads} changed', { heads: listText(heads) }));
  return said.length === 0 ? t('No difference') : said.join(', ');
}
