/** Steps that are offered first: by the step before, and the latest ones of this browser. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { LanguageVerb, SuggestedAfter } from '../../../../language/flow/text/language.ts';
import type { ExitRef } from '../text/edit.ts';

const SUGGESTED = 3;

type Verbs = Readonly<Record<string, LanguageVerb>>;

/** Three verbs that often follow the step before. */
export function suggestedVerbs(graph: FlowGraph, at: ExitRef | undefined, verbs: Verbs): string[] {
  const kind = kindOfPlace(graph, at, verbs);
  const usual = ranked(verbs, kind);
  if (kind !== 'any') return usual.slice(0, SUGGESTED);
  const before = graph.steps.find(({ name }) => name === at?.step)?.verb;
  // A step that ends the call is rarely the next one.
  const used = [...countsOf(graph)]
    .filter(([verb]) => verb !== before && verbs[verb]?.terminal !== true)
    .toSorted(([, one], [, other]) => other - one)
    .map(([verb]) => verb);
  return [...new Set([...used, ...usual])].slice(0, SUGGESTED);
}

const ranked = (verbs: Verbs, kind: SuggestedAfter): string[] =>
  Object.entries(verbs)
    .flatMap(([verb, { picker }]) => {
      const place = picker?.suggested?.[kind];
      return place === undefined ? [] : [{ verb, place }];
    })
    .toSorted((one, other) => one.place - other.place)
    .map(({ verb }) => verb);

function kindOfPlace({ steps }: FlowGraph, at: ExitRef | undefined, verbs: Verbs): SuggestedAfter {
  const before = steps.find(({ name }) => name === at?.step);
  const verb = before && verbs[before.verb];
  // The verb that answers the call is in the group of those that begin and end it.
  if (before === undefined || (verb?.picker?.group === 'end' && !verb.terminal)) return 'start';
  if (before.exits.some(({ outcome, key }) => outcome === at?.outcome && key !== undefined)) return 'choice';
  return verb?.group === 'outside' && verb.simulated === 'requests' ? 'data' : 'any';
}

/** Number of steps of each verb. */
export function countsOf({ steps }: FlowGraph): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { verb } of steps) counts.set(verb, (counts.get(verb) ?? 0) + 1);
  return counts;
}

const KEY = 'recent steps';
const REMEMBERED = 3;

/** Verbs of the latest steps that were added in this browser. */
export function recentVerbs(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((verb) => typeof verb === 'string').slice(0, REMEMBERED) : [];
  } catch {
    return [];
  }
}

export function rememberVerb(verb: string): void {
  const verbs = [verb, ...recentVerbs().filter((each) => each !== verb)].slice(0, REMEMBERED);
  localStorage.setItem(KEY, JSON.stringify(verbs));
}
