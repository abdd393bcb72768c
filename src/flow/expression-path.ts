/**
 * The plainest expressions, `input.play` and `$exists(vars.account)`, read without the evaluator: they are most of what
 * flows hold, and take it some thirty times as long. Neighbour: `expression.ts` asks here first.
 *
 * Invariant: what is given here is what the evaluator would give; where lists are on the way, whose rules are its own, it
 * is asked.
 */
import type { AstNode } from './expression.ts';
import type { Scope } from './types.ts';

export interface PlainPath {
  names: readonly string[];
  /** Whether there is anything, not what. */
  asksIfThere: boolean;
}

/** What the tree asks for; undefined: more than a path. */
export function plainPathOf(tree: AstNode): PlainPath | undefined {
  const asksIfThere = isCallOfExists(tree);
  const names = namesOf(asksIfThere ? (tree['arguments'] as AstNode[])[0]! : tree);
  return names && { names, asksIfThere };
}

function isCallOfExists({ type, procedure, arguments: given, ...rest }: AstNode): boolean {
  const { type: kind, value } = (procedure ?? {}) as Partial<AstNode>;
  const isCall =
    type === 'function' && kind === 'variable' && value === 'exists' && hasOnly(rest, ['value', 'position']);
  return isCall && Array.isArray(given) && given.length === 1;
}

function namesOf(tree: AstNode): string[] | undefined {
  const { steps } = tree;
  if (tree.type !== 'path' || !hasOnly(tree, ['type', 'steps']) || !Array.isArray(steps)) return undefined;
  const names: string[] = [];
  for (const step of steps as AstNode[]) {
    const { type, value } = step;
    if (type !== 'name' || typeof value !== 'string' || !hasOnly(step, ['type', 'value', 'position'])) return undefined;
    names.push(value);
  }
  return names;
}

/** Anything else is a filter, a sort, a mark: not plain. */
const hasOnly = (node: object, keys: readonly string[]): boolean =>
  Object.keys(node).every((key) => keys.includes(key));

/** What the path leads to in `found`, if that can be said here. */
export function readPlainPath({ names, asksIfThere }: PlainPath, scope: Scope): { found: unknown } | undefined {
  let at: unknown = scope;
  for (const name of names) {
    if (typeof at !== 'object' || at === null) {
      at = undefined;
      break;
    }
    if (Array.isArray(at)) return undefined;
    if (Object.hasOwn(at, name)) at = (at as Record<string, unknown>)[name];
    else if (name in at) return undefined;
    else at = undefined;
  }
  if (Array.isArray(at)) return undefined;
  return { found: asksIfThere ? at !== undefined : at };
}
