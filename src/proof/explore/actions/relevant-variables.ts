/**
 * Data-flow analysis of a flow from the syntax trees of its expressions: the paths that its conditions read, directly
 * or through variables, the constants they are compared with, and at which steps they can still be read.
 * `values.ts` derives input values from it; `../state-key.ts` omits all other values from the state key.
 *
 * Invariant: a path that can still affect an outcome after a step is live at that step.
 */
import { isObject, type Json } from '../../../base/core/json.ts';
import { isAt, isAtOrBelow, walk } from '../../../base/schema/document.ts';
import type { CompiledFlow, CompiledStep, Expression } from '../../../language/flow/compiled-flow.ts';
import { astOf, compileExpression } from '../../../language/flow/expression.ts';
import { type AstNode, nodesOf, scopePaths } from '../../../language/flow/expression-tree.ts';
import { compileTemplate, templateExpressions } from '../../../language/flow/template.ts';
import { listIn, nameOf, wordsOf } from '../../../language/flow/types/nodes.ts';
import type { Scalar } from '../../../language/flow/types/type.ts';
import { factsOf } from '../../../language/flow/verb-facts.ts';
import { stepsByVerb } from '../../../verbs/steps.ts';

export const COMPARING = ['=', '!=', '<', '<=', '>', '>=', 'in'];

export interface RelevantVariables {
  /** Constants by compared path (`vars.tier`, `steps.look_up.body.tier`); empty if the path has other uses only. */
  constants: ReadonlyMap<string, ReadonlySet<Scalar>>;
  /** Paths whose exact value matters: they are used other than in comparisons with constants. */
  exact: ReadonlySet<string>;
  /** All paths that are read, also those that do not affect the flow. */
  read: ReadonlySet<string>;
  /** Source paths of each variable. */
  madeOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Paths that affect the outcome of this step. */
  usesAt(step: string): ReadonlySet<string>;
  /** Paths that can affect this step or a later one. */
  liveAt(step: string): ReadonlySet<string>;
  /** Steps that can be entered after this one. */
  reachableFrom(step: string): ReadonlySet<string>;
}

const known = new WeakMap<CompiledFlow, RelevantVariables>();

export function relevantVariables(flow: CompiledFlow): RelevantVariables {
  let found = known.get(flow);
  if (found === undefined) {
    found = findRelevantVariables(flow);
    known.set(flow, found);
  }
  return found;
}

function findRelevantVariables(flow: CompiledFlow): RelevantVariables {
  const constants = new Map<string, Set<Scalar>>();
  const exact = new Set<string>();
  const read = new Set<string>();
  const madeOf = new Map<string, Set<string>>();
  const uses = new Map<string, Set<string>>();
  const assigned: { step: string; variable: string; source: string }[] = [];
  const at = <Value>(map: Map<string, Set<Value>>, key: string): Set<Value> => {
    const set = map.get(key) ?? new Set<Value>();
    map.set(key, set);
    return set;
  };
  /** Fields that select the items of a list. */
  const select = (expression: Expression, step: string): void => {
    for (const [path, values] of filteredFields(astOf(expression), step)) {
      read.add(path);
      for (const value of values) at(constants, path).add(value);
    }
  };
  const decide = (expression: Expression, step: string): void => {
    const compared = comparisonsIn(astOf(expression), step);
    for (const [path, values] of compared) for (const value of values) at(constants, path).add(value);
    for (const path of pathsIn(expression, step)) {
      at(uses, step).add(path);
      at(constants, path);
      if (!compared.has(path)) exact.add(path);
    }
  };
  for (const step of flow.steps.values()) {
    const { deciding, data } = expressionsOf(step);
    for (const expression of deciding) decide(expression, step.name);
    for (const expression of [...deciding, ...data]) {
      for (const path of pathsIn(expression, step.name)) read.add(path);
      select(expression, step.name);
    }
    for (const [variable, expressions] of assignmentsOf(step)) {
      for (const expression of expressions) {
        select(expression, step.name);
        for (const path of pathsIn(expression, step.name)) {
          read.add(path);
          at(madeOf, variable).add(path);
          assigned.push({ step: step.name, variable, source: path });
        }
      }
    }
  }
  if (flow.output) {
    for (const { expression } of templateExpressions(flow.output)) {
      for (const path of pathsIn(expression, '')) {
        exact.add(path);
        for (const step of flow.steps.keys()) at(uses, step).add(path);
      }
    }
  }
  spread(madeOf, constants, exact);
  const reachable = reachability(flow);
  const live = new Map<string, ReadonlySet<string>>();
  return {
    ...{ constants, exact, read, madeOf },
    usesAt: (step) => uses.get(step) ?? new Set(),
    reachableFrom: (step) => reachable.get(step) ?? new Set(),
    liveAt(step) {
      const found = live.get(step);
      if (found) return found;
      const ahead = new Set([step, ...(reachable.get(step) ?? [])]);
      const paths = new Set([...ahead].flatMap((each) => [...(uses.get(each) ?? [])]));
      // The sources of a variable are live until its last assignment.
      for (const path of paths) {
        for (const each of assigned)
          if (ahead.has(each.step) && each.variable === variableOf(path)) paths.add(each.source);
      }
      live.set(step, paths);
      return paths;
    },
  };
}

/** Propagates the constants of a variable to its sources. */
function spread(
  madeOf: ReadonlyMap<string, ReadonlySet<string>>,
  constants: Map<string, Set<Scalar>>,
  exact: Set<string>,
): void {
  for (let grew = true; grew; ) {
    grew = false;
    for (const [variable, sources] of madeOf) {
      const own = [...constants].filter(([path]) => variableOf(path) === variable);
      if (own.length === 0) continue;
      const isExact = own.some(([path]) => exact.has(path));
      for (const source of sources) {
        const before = constants.get(source);
        const values = new Set([...(before ?? []), ...own.flatMap(([, set]) => [...set])]);
        if (before === undefined || values.size > before.size) grew = true;
        constants.set(source, values);
        if (isExact && !exact.has(source)) {
          exact.add(source);
          grew = true;
        }
      }
    }
  }
}

/** `vars.tier.name` → `tier`. */
export const variableOf = (path: string): string | undefined => {
  const [scope, name] = path.split('.');
  return scope === 'vars' ? name : undefined;
};

/** Separates expressions that affect the outcome from those that only produce prompts or request data. */
export function expressionsOf(step: CompiledStep): { deciding: Expression[]; data: Expression[] } {
  const spec = stepsByVerb.get(step.verb);
  const deciding: Expression[] = step.when ? [step.when] : [];
  const data: Expression[] = [];
  if (spec?.expressions !== undefined) {
    for (const [at, value] of walk(step.args)) {
      if (typeof value !== 'string' || !isAt(at, spec.expressions)) continue;
      const compiled = compileExpression(value);
      if (!('error' in compiled)) deciding.push(compiled);
    }
    return { deciding, data };
  }
  if (spec?.form === 'assignments') return { deciding, data };
  const { decides = false } = factsOf(step.verb);
  for (const { expression, pointer } of templateExpressions(compileTemplate(step.args))) {
    (decides && !isAtOrBelow(pointer, spec?.prompts ?? []) ? deciding : data).push(expression);
  }
  return { deciding, data };
}

export function assignmentsOf(step: CompiledStep): [variable: string, expressions: Expression[]][] {
  const made = (written: Json): Expression[] =>
    templateExpressions(compileTemplate(written)).map(({ expression }) => expression);
  if (factsOf(step.verb).form === 'assignments' && isObject(step.args)) {
    return Object.entries(step.args).map(([variable, written]) => [variable, made(written)]);
  }
  return Object.entries(step.set ?? {}).map(([variable, { source }]) => [variable, made(source)]);
}

/** Paths that an expression reads; `result.x` of a step becomes `steps.STEP.x`. */
function pathsIn(expression: Expression, step: string): string[] {
  return scopePaths(astOf(expression)).map(({ names }) => scoped(names, step));
}

const scoped = (names: readonly string[], step: string): string =>
  (names[0] === 'result' ? ['steps', step, ...names.slice(1)] : names).join('.');

/** Constants with which each path is compared. */
function comparisonsIn(tree: AstNode, step: string): Map<string, Scalar[]> {
  const found = new Map<string, Scalar[]>();
  for (const node of nodesOf(tree)) {
    if (node.type !== 'binary' || !COMPARING.includes(String(node.value))) continue;
    const sides = [node.lhs, node.rhs] as AstNode[];
    for (const [path, other] of [sides, sides.toReversed()] as [AstNode, AstNode][]) {
      const constants = literalsOf(other);
      if (constants.length === 0) continue;
      for (const name of namesIn(path)) {
        const key = scoped(name.split('.'), step);
        found.set(key, [...(found.get(key) ?? []), ...constants]);
      }
    }
  }
  return found;
}

/** Fields of items that a predicate compares with constants: `slots[state = 'free']` compares `slots.state`. */
function filteredFields(tree: AstNode, step: string): Map<string, Scalar[]> {
  const found = new Map<string, Scalar[]>();
  for (const node of nodesOf(tree)) {
    if (node.type !== 'path') continue;
    const steps = listIn(node['steps']);
    for (const [index, { stages }] of steps.entries()) {
      const names = wordsOf(steps, index + 1);
      if (names.length === 0) continue;
      for (const { type, expr } of listIn(stages)) {
        if (type !== 'filter') continue;
        for (const [field, values] of comparisonsIn(expr as AstNode, step)) {
          if (isScope(field)) continue;
          const path = scoped([...names, field], step);
          found.set(path, [...(found.get(path) ?? []), ...values]);
        }
      }
    }
  }
  return found;
}

/** True for a path of the scope inside a predicate: `$$.vars.x`. */
const isScope = (path: string): boolean => /^(vars|steps|input|call|env|result)\./.test(path);

/** Path of an operand, also inside a conversion function: `$number(vars.age)`. */
function namesIn(node: AstNode): string[] {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  const procedure = (node['procedure'] as AstNode | undefined)?.value;
  const given = listIn(node['arguments']);
  const isKept = ['number', 'string', 'lowercase', 'uppercase', 'trim'].includes(String(procedure));
  return node.type === 'function' && isKept && given[0] ? namesIn(given[0]) : [];
}

export function literalsOf(node: AstNode): Scalar[] {
  if (['string', 'number', 'value'].includes(node.type)) return [node.value as Scalar];
  if (node.type === 'unary' && node.value === '-') {
    const [value] = literalsOf(node['expression'] as AstNode);
    return typeof value === 'number' ? [-value] : [];
  }
  if (node.type === 'unary' && node.value === '[') return listIn(node['expressions']).flatMap(literalsOf);
  return [];
}

function reachability({ steps, events }: CompiledFlow): ReadonlyMap<string, ReadonlySet<string>> {
  const interrupts = Object.values(events);
  return new Map(
    [...steps.keys()].map((from) => {
      const found = new Set<string>();
      const queue = [...Object.values(steps.get(from)!.exits), ...interrupts];
      for (let step = queue.pop(); step !== undefined; step = queue.pop()) {
        const next = steps.get(step);
        if (found.has(step) || next === undefined) continue;
        found.add(step);
        queue.push(...Object.values(next.exits));
      }
      return [from, found];
    }),
  );
}
