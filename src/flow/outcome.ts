/**
 * Outcomes are hierarchical, `exhausted.no_input`, and are routed by the longest prefix:
 * `exhausted` covers `exhausted.no_input`; `error` covers everything that broke.
 */

/** The target that ends the flow. */
export const END = '$end';

/** The prefixes of an outcome, longest first: `a.b.c` → `a.b.c`, `a.b`, `a`. */
export function prefixes(outcome: string): string[] {
  const words = outcome.split('.');
  return words.map((_, index) => words.slice(0, words.length - index).join('.'));
}

/** The longest prefix of `outcome` that `exits` names, and where it leads. */
export function routeOf(
  outcome: string,
  exits: Readonly<Record<string, string>>,
): { key: string; target: string } | undefined {
  const key = prefixes(outcome).find((prefix) => Object.hasOwn(exits, prefix));
  return key === undefined ? undefined : { key, target: exits[key]! };
}
