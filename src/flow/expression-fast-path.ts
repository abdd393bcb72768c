/**
 * The plainest expressions, such as `input.play`, `$exists(vars.account)` and `vars.tier = 'gold' ? 1 : 2`, read without
 * the evaluator: they are most of what flows hold, and take it some thirty times as long. Neighbour: `expression.ts` asks
 * here first.
 *
 * Invariant: what is found here is what the evaluator would find; of what has rules of its own there (lists, truth and
 * equality of anything but plain values) nothing is found here, and it is asked.
 */

import type { Scope } from './compiled-flow.ts';
import type { AstNode } from './expression-tree.ts';

/** Only the evaluator can decide. */
export const UNDECIDED: unique symbol = Symbol('unsure');

export type FastPath = (scope: Scope) => unknown;

/** Undefined: more than is read here. */
export function compileFastPath(tree: AstNode): FastPath | undefined {
  switch (tree.type) {
    case 'path':
      return pathReader(tree);
    case 'string':
    case 'number':
    case 'value':
      return hasOnly(tree, ['type', 'value', 'position']) ? () => tree.value : undefined;
    case 'function':
      return existsReader(tree);
    case 'condition':
      return conditionReader(tree);
    case 'binary':
      return equalityReader(tree);
    default:
      return undefined;
  }
}

/** What else a node has is a filter, a sort, a mark. */
const hasOnly = (node: object, keys: readonly string[]): boolean =>
  Object.entries(node).every(([key, value]) => value === undefined || keys.includes(key));

function pathReader(tree: AstNode): FastPath | undefined {
  const { steps } = tree;
  if (!hasOnly(tree, ['type', 'steps']) || !Array.isArray(steps)) return undefined;
  const names: string[] = [];
  for (const step of steps as AstNode[]) {
    const { type, value } = step;
    if (type !== 'name' || typeof value !== 'string' || !hasOnly(step, ['type', 'value', 'position'])) return undefined;
    names.push(value);
  }
  return (scope) => {
    let at: unknown = scope;
    for (const name of names) {
      if (typeof at !== 'object' || at === null) return undefined;
      if (Array.isArray(at)) return UNDECIDED;
      if (Object.hasOwn(at, name)) at = (at as Record<string, unknown>)[name];
      else return name in at ? UNDECIDED : undefined;
    }
    return Array.isArray(at) ? UNDECIDED : at;
  };
}

function existsReader(tree: AstNode): FastPath | undefined {
  const { procedure, arguments: given } = tree;
  const called = procedure as AstNode | undefined;
  if (!hasOnly(tree, ['type', 'value', 'position', 'arguments', 'procedure'])) return undefined;
  if (called?.type !== 'variable' || called.value !== 'exists' || !Array.isArray(given) || given.length !== 1) {
    return undefined;
  }
  const read = compileFastPath(given[0] as AstNode);
  if (!read) return undefined;
  return (scope) => {
    const found = read(scope);
    return found === UNDECIDED ? UNDECIDED : found !== undefined;
  };
}

function conditionReader(tree: AstNode): FastPath | undefined {
  if (!hasOnly(tree, ['type', 'position', 'condition', 'then', 'else'])) return undefined;
  const condition = compileFastPath(tree['condition'] as AstNode);
  const onTrue = compileFastPath(tree['then'] as AstNode);
  const onFalse = tree['else'] === undefined ? () => undefined : compileFastPath(tree['else'] as AstNode);
  if (!condition || !onTrue || !onFalse) return undefined;
  return (scope) => {
    const holds = condition(scope);
    if (holds === true) return onTrue(scope);
    return holds === false || holds === undefined ? onFalse(scope) : UNDECIDED;
  };
}

function equalityReader(tree: AstNode): FastPath | undefined {
  const { value } = tree;
  const isEquality = value === '=' || value === '!=';
  if (!isEquality || !hasOnly(tree, ['type', 'value', 'position', 'lhs', 'rhs'])) return undefined;
  const left = compileFastPath(tree.lhs as AstNode);
  const right = compileFastPath(tree.rhs as AstNode);
  if (!left || !right) return undefined;
  return (scope) => {
    const [one, other] = [left(scope), right(scope)];
    if (one === UNDECIDED || other === UNDECIDED) return UNDECIDED;
    // What is missing is neither equal nor different.
    if (one === undefined || other === undefined) return false;
    if (typeof one === 'object' || typeof other === 'object') return UNDECIDED;
    return (one === other) === (value === '=');
  };
}
