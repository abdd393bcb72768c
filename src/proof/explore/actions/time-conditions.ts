/**
 * Parts of a flow's conditions that depend on the time alone: `$number($local('[H]')) >= 18`. `../times.ts` finds the
 * moments at which they change. Pure.
 *
 * Invariant: a condition counts as understood only if all its reads of the time are in such parts.
 */
import type { CompiledFlow, CompiledStep, Expression } from '../../../language/flow/compiled-flow.ts';
import { astOf, compileExpression } from '../../../language/flow/expression.ts';
import { type AstNode, nodesOf } from '../../../language/flow/expression-tree.ts';
import { isNode, listIn } from '../../../language/flow/types/nodes.ts';
import type { Scalar } from '../../../language/flow/types/type.ts';
import { assignmentsOf, COMPARING, expressionsOf, literalsOf, relevantVariables } from './relevant-variables.ts';

/** A value that depends on the time alone, and the constants it is compared with; none for a truth value. */
export interface TimeCondition {
  expression: Expression;
  constants: readonly Scalar[];
}

export interface TimeConditions {
  conditions: readonly TimeCondition[];
  /** Steps whose outcome or variables depend on the time. */
  steps: ReadonlySet<string>;
  /** Steps of which a read of the time was not understood. */
  notUnderstood: ReadonlySet<string>;
}

const READ_TIME = ['now', 'local', 'millis', 'toMillis'];

const known = new WeakMap<CompiledFlow, TimeConditions>();

export function timeConditions(flow: CompiledFlow): TimeConditions {
  const found = known.get(flow) ?? findTimeConditions(flow);
  known.set(flow, found);
  return found;
}

function findTimeConditions(flow: CompiledFlow): TimeConditions {
  const conditions: TimeCondition[] = [];
  const steps = new Set<string>();
  const notUnderstood = new Set<string>();
  const { constants } = relevantVariables(flow);
  for (const step of flow.steps.values()) {
    for (const { tree, comparedWith } of timedIn(step, constants)) {
      steps.add(step.name);
      const found = [...conditionsIn(tree, comparedWith)];
      conditions.push(...found);
      if (found.length === 0) notUnderstood.add(step.name);
    }
  }
  return { conditions, steps, notUnderstood };
}

/** Expressions of a step that read the time and decide, or are assigned to a variable that conditions compare. */
function* timedIn(
  step: CompiledStep,
  constants: ReadonlyMap<string, ReadonlySet<Scalar>>,
): Generator<{ tree: AstNode; comparedWith: readonly Scalar[] }> {
  for (const expression of expressionsOf(step).deciding) {
    if (readsTime(astOf(expression))) yield { tree: astOf(expression), comparedWith: [] };
  }
  for (const [variable, expressions] of assignmentsOf(step)) {
    const compared = constants.get(`vars.${variable}`);
    if (compared === undefined) continue;
    for (const expression of expressions) {
      if (readsTime(astOf(expression))) yield { tree: astOf(expression), comparedWith: [...compared] };
    }
  }
}

function* conditionsIn(tree: AstNode, comparedWith: readonly Scalar[]): Generator<TimeCondition> {
  const whole = compiled(tree);
  if (whole !== undefined) yield { expression: whole, constants: comparedWith };
  for (const node of nodesOf(tree)) {
    if (node.type !== 'binary' || !COMPARING.includes(String(node.value))) continue;
    const sides = [node.lhs, node.rhs] as AstNode[];
    for (const [side, other] of [sides, sides.toReversed()] as [AstNode, AstNode][]) {
      const constants = literalsOf(other);
      const expression = readsTime(side) && constants.length > 0 ? compiled(side) : undefined;
      if (expression !== undefined) yield { expression, constants };
    }
  }
}

const readsTime = (tree: AstNode): boolean =>
  nodesOf(tree).some(({ type, procedure }) => type === 'function' && READ_TIME.includes(nameOfFunction(procedure)));

const nameOfFunction = (procedure: unknown): string => String((procedure as AstNode | undefined)?.value);

/** An expression of the tree alone; undefined if it reads anything but the time. */
function compiled(tree: AstNode): Expression | undefined {
  const source = written(tree);
  const made = source === undefined ? undefined : compileExpression(source);
  return made === undefined || 'error' in made ? undefined : made;
}

/** Text of a tree; undefined for syntax other than functions, operators and constants. */
function written(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  const { type, value, lhs, rhs } = node;
  switch (type) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
    case 'value':
      return String(value);
    case 'binary':
      return joined(['(', written(lhs), ` ${String(value)} `, written(rhs), ')']);
    case 'apply':
      return joined(['(', written(lhs), ' ~> ', written(rhs), ')']);
    case 'function':
      return joined([`$${nameOfFunction(node['procedure'])}(`, listed(node['arguments']), ')']);
    case 'condition':
      return joined(['(', written(node['condition']), ' ? ', written(node['then']), ' : ', written(node['else']), ')']);
    case 'block':
      return joined(['(', listed(node['expressions']), ')']);
    case 'unary':
      if (value === '[') return joined(['[', listed(node['expressions']), ']']);
      return value === '-' ? joined(['-', written(node['expression'])]) : undefined;
    default:
      return undefined;
  }
}

const listed = (nodes: unknown): string | undefined => {
  const parts = listIn(nodes).map(written);
  return parts.includes(undefined) ? undefined : parts.join(', ');
};

const joined = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.includes(undefined) ? undefined : parts.join('');
