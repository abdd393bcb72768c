/**
 * By which names steps may ask for prompts: keys and sound files as they are written, and what templates may make of them.
 * Neighbours: `lint-data-flow.ts` (keys of the table), `unused-sounds.ts` (files).
 *
 * Invariant: a name that a template may give is never denied.
 */
import { isObject, type Json } from '../core/json.ts';
import { valueAt, walk } from '../schema/document.ts';
import { hasExpression } from './template.ts';

/** What stands at the places for prompts (`VerbSpec.prompts`) in the arguments of a step. */
export function promptsIn(places: readonly string[] = [], args: Json): Json[] {
  if (places.length === 0) return [];
  // All of the arguments in one expression, or in the short form.
  return isObject(args) ? places.flatMap((place) => valueAt(args, place) ?? []) : [args];
}

/** Whether prompts that are written like this may ask for a name. */
export function namesIn(prompts: Iterable<Json>): (name: string) => boolean {
  const words = new Set<string>();
  const made: [before: string, after: string][] = [];
  for (const prompt of prompts) {
    for (const [, value] of walk(prompt)) {
      if (typeof value !== 'string') continue;
      words.add(value);
      if (!hasExpression(value)) continue;
      const literals = [...value.matchAll(LITERAL)].map(([, one, two]) => (one ?? two)!);
      for (const literal of literals) words.add(literal);
      const text = value.trim();
      const around: [string, string] = [text.slice(0, text.indexOf('${')), text.slice(text.lastIndexOf('}') + 1)];
      // `${ vars.late ? 'evening' : 'day' }` says what it may be; `${ vars.key }` may be any.
      if (literals.length === 0 || around.some((part) => part !== '')) made.push(around);
    }
  }
  return (name) => words.has(name) || made.some(([before, after]) => name.startsWith(before) && name.endsWith(after));
}

const LITERAL = /'([^']*)'|"([^"]*)"/g;
