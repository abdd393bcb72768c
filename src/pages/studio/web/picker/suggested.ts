/** Steps that are offered first: by the step before, and the latest ones of this browser. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { ExitRef } from '../text/edit.ts';

const SUGGESTED = 3;

const FIRST = ['play', 'menu', 'schedule'];
const AFTER_CHOICE = ['bridge', 'record', 'play'];
const AFTER_ANSWER_OF_SERVICE = ['branch', 'play', 'message'];

/** Three verbs that often follow the step before; otherwise the most frequent verbs of the flow. */
export function suggestedVerbs(graph: FlowGraph, at: ExitRef | undefined): string[] {
  const before = graph.steps.find(({ name }) => name === at?.step);
  if (before === undefined || before.verb === 'answer') return FIRST;
  if (before.exits.some(({ outcome, key }) => outcome === at?.outcome && key !== undefined)) return AFTER_CHOICE;
  if (before.group === 'outside' && before.verb === 'request') return AFTER_ANSWER_OF_SERVICE;
  const used = [...countsOf(graph)].toSorted(([, one], [, other]) => other - one).map(([verb]) => verb);
  // A step that ends the call is rarely the next one.
  const likely = used.filter((verb) => verb !== before.verb && verb !== 'hangup' && verb !== 'return');
  return [...new Set([...likely, 'menu', 'play', 'bridge'])].slice(0, SUGGESTED);
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
