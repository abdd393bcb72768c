/**
 * Hierarchical outcomes such as `exhausted.no_input`, routed by the longest prefix: `exhausted` covers
 * `exhausted.no_input`, and `error` covers all errors.
 */

/** Target that ends the flow. */
export const END = '$end';

/** Prefixes of an outcome, longest first: `a.b.c` → `a.b.c`, `a.b`, `a`. */
export function prefixes(outcome: string): string[] {
  if (!outcome.includes('.')) return [outcome];
  const words = outcome.split('.');
  return words.map((_, index) => words.slice(0, words.length - index).join('.'));
}

/** Longest prefix of `outcome` in `exits`, and its target. */
export function routeOf(
  outcome: string,
  exits: Readonly<Record<string, string>>,
): { key: string; target: string } | undefined {
  const key = prefixes(outcome).find((prefix) => Object.hasOwn(exits, prefix));
  return key === undefined ? undefined : { key, target: exits[key]! };
}
