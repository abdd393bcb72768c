/** Reads the names of paths in an expression's tree. `infer.ts` uses it. */
import { type AstNode, nodesOf } from '../expression-tree.ts';

export const isNode = (value: unknown): value is AstNode => typeof value === 'object' && value !== null;
export const listIn = (value: unknown): AstNode[] => (Array.isArray(value) ? (value as AstNode[]) : []);
export const hasStages = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** First names of a path, without a leading `$$`. */
export function wordsOf(steps: readonly AstNode[], end: number): string[] {
  const words: string[] = [];
  for (const { type, value } of steps.slice(0, end)) {
    if (type === 'name') words.push(String(value));
    else if (type === 'variable' && value !== '$' && value !== '') words.push(`$${String(value)}`);
    else if (type !== 'variable') return [];
  }
  return words;
}

/** A path that consists of names only, as it is written. */
export function nameOf(node: AstNode): string | undefined {
  if (node.type !== 'path') return undefined;
  const steps = listIn(node['steps']);
  const isPlain = steps.every(({ type, stages }) => (type === 'name' || type === 'variable') && !hasStages(stages));
  return isPlain ? wordsOf(steps, steps.length).join('.') : undefined;
}

/** Key of a path or of a local name, such as `vars.tier`, `$x` and `$` for the current item. */
export function keyOf(node: AstNode): string | undefined {
  if (node.type === 'variable') return `$${String(node.value)}`;
  return nameOf(node);
}

export function* existingPaths(tree: AstNode): Generator<string> {
  for (const { type, procedure, arguments: given } of nodesOf(tree)) {
    if (type !== 'function' || (procedure as AstNode | undefined)?.value !== 'exists') continue;
    const name = nameOf(listIn(given)[0] ?? { type: '' });
    if (name !== undefined) yield name;
  }
}
