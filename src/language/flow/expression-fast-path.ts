/**
 * Evaluates the simplest expressions, such as `input.play`, `$exists(vars.account)` and `vars.tier = 'gold' ? 1 : 2`,
 * without JSONata. Most expressions of flows are of this kind, and JSONata takes about thirty times as long for them.
 * `expression.ts` tries this path first.
 *
 * Invariant: a result here equals the evaluator's. For values with special rules there (lists, truth and equality of
 * anything but scalars) the result is `UNDECIDED`, and the evaluator runs.
 */
import type { Scope } from './compiled-flow.ts';
import type { AstNode } from './expression-tree.ts';

/** Result that only the evaluator can decide. */
export const UNDECIDED: unique symbol = Symbol('unsure');

export type FastPath = (scope: Scope) => unknown;

/** Returns undefined if the expression is not of a simple form. */
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
    case 'block':
      return blockReader(tree);
    default:
      return undefined;
  }
}

/** Any other key of a node is a filter, a sort or a flag. */
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

/** Parentheses around one expression. */
function blockReader(tree: AstNode): FastPath | undefined {
  const { expressions } = tree;
  if (!hasOnly(tree, ['type', 'position', 'expressions']) || !Array.isArray(expressions)) return undefined;
  return expressions.length === 1 ? compileFastPath(expressions[0] as AstNode) : undefined;
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
    // A missing operand makes both `=` and `!=` false.
    if (one === undefined || other === undefined) return false;
    if (typeof one === 'object' || typeof other === 'object') return UNDECIDED;
    return (one === other) === (value === '=');
  };
}
