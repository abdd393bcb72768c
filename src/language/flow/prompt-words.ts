/**
 * Names by which steps may ask for prompts: literal keys and sound files, and the possible results of templates. Used
 * by `lint-data-flow.ts` (keys of the table) and `unused-sounds.ts` (files).
 *
 * Invariant: a name that a template may give is always accepted.
 */
import { isObject, type Json } from '../../base/core/json.ts';
import { valueAt, walk } from '../../base/schema/document.ts';
import { hasExpression } from './outcome-conditions.ts';

/** Values at the places for prompts (`VerbSpec.prompts`) in the arguments of a step. */
export function promptsIn(places: readonly string[] = [], args: Json): Json[] {
  if (places.length === 0) return [];
  // Arguments in the short form, or as one expression, may be a prompt themselves.
  return isObject(args) ? places.flatMap((place) => valueAt(args, place) ?? []) : [args];
}

/** Returns a test of whether these prompts may ask for a name. */
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
      // `${ vars.late ? 'evening' : 'day' }` lists its values as literals; `${ vars.key }` may have any value.
      if (literals.length === 0 || around.some((part) => part !== '')) made.push(around);
    }
  }
  return (name) => words.has(name) || made.some(([before, after]) => name.startsWith(before) && name.endsWith(after));
}

const LITERAL = /'([^']*)'|"([^"]*)"/g;
