/**
 * Finds lists that are used without an index where one value is needed: `${ vars.order.items.name }` in a sentence gives
 * the name of each item, and works only while the list has one. A path that a condition or a filter narrows is not
 * judged.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { type Issue, pointerKeys } from '../../base/schema/document.ts';
import { branchesAt, typesOf } from '../../base/schema/schema-branches.ts';
import { argumentPlaces } from './argument-places.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type AstNode, nodesOf, startOf } from './expression-tree.ts';
import { type FlowDraft, URL_KEYS } from './flow-draft.ts';
import { resultAt } from './lint-types.ts';
import { FUNCTIONS } from './types/functions.ts';
import { hasStages, isNode, listIn } from './types/nodes.ts';
import { scopeOf } from './types/scope.ts';
import { canBe, fieldOf, itemOf, KIND, type Type, typeOfSchema } from './types/type.ts';

export function* lintSingleValues(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  for (const site of sites) {
    const root = astOf(site.expression);
    const paths = [...pathsToOne(root, isForOne(site, draft))];
    if (paths.length === 0) continue;
    const scope = scopeOf(draft);
    const item = site.hasItem ? scope.itemNames(site.step!) : undefined;
    const seen = scope.at({ result: resultAt(site, scope), item });
    for (const path of paths) {
      const found = listOnPath(path, seen);
      // The types report a whole list in the place of one value.
      if (found === undefined || (found.rest === '' && site.whole && path === root)) continue;
      const { list, rest } = found;
      const message =
        rest === ''
          ? quoting`${list} is a list, and one value is needed here`
          : quoting`${list} is a list: this gives ${rest} of each item, and one value is needed here`;
      const field = rest === '' ? '' : `.${rest}`;
      const hint = `write ${list}[0]${field} for the first, or $join(${list}${field}, ', ')`;
      yield { code: 'needs-index', message, hint, pointer: site.pointer, offset: site.offset + (startOf(path) ?? 0) };
    }
  }
}

/** True if the place of an expression takes one value, or speaks it as part of a text. */
function isForOne({ step, argument, assigns, whole, pointer }: ExpressionSite, { flow }: FlowDraft): boolean {
  if (assigns !== undefined) {
    const isWholeVariable = whole && pointerKeys(pointer).at(-1) === assigns && Object.hasOwn(flow.vars, assigns);
    const kinds = isWholeVariable ? typeOfSchema(flow.vars[assigns]!.schema).kinds : KIND.list;
    return (kinds & KIND.list) === 0;
  }
  if (step === undefined || argument === undefined) return false;
  const { verb } = step.spec;
  if (!whole) {
    return URL_KEYS.some((key) => argument === `/${key}`) || argumentPlaces(verb, NONE)(argument)?.isSpoken === true;
  }
  const types = branchesAt(verb, argument).map(typesOf);
  return types.length > 0 && types.every((each) => each !== undefined && !each.includes('array'));
}

const NONE: ReadonlySet<string> = new Set();

/** Paths of the scope whose value must be one value. */
function* pathsToOne(node: AstNode, isOne: boolean): Generator<AstNode> {
  if (node.type === 'path') {
    if (isOne) yield node;
  } else if (node.type === 'binary' && node.value === '&') {
    for (const side of [node.lhs, node.rhs]) if (isNode(side)) yield* pathsToOne(side, true);
  } else if (node.type === 'condition') {
    if (nodesOf(node['condition'] as AstNode).some(isCount)) return;
    for (const value of [node['then'], node['else']]) if (isNode(value)) yield* pathsToOne(value, isOne);
  } else if (node.type === 'function') {
    const { value: name } = (node['procedure'] ?? {}) as AstNode;
    const { parameters = [] } = FUNCTIONS.get(String(name)) ?? {};
    const given = listIn(node['arguments']);
    // An argument taken from the context shifts the positions of the others.
    if (given.length < parameters.filter(({ isOptional }) => !isOptional).length) return;
    for (const [index, argument] of given.entries()) {
      const kinds = parameters[index]?.kinds ?? KIND.list;
      yield* pathsToOne(argument, (kinds & KIND.list) === 0);
    }
  }
}

/** A condition on the number of items may be that there is one. */
const isCount = ({ type, procedure }: AstNode): boolean =>
  type === 'function' && (procedure as AstNode | undefined)?.value === 'count';

/** The list on a path of names, and the names behind it. Undefined if there is none, or a part of the path is not known. */
function listOnPath(path: AstNode, scope: Type): { list: string; rest: string } | undefined {
  if (path['keepSingletonArray'] === true || isNode(path['group']) || hasStages(path['predicate'])) return undefined;
  const names: string[] = [];
  let type = scope;
  const steps = listIn(path['steps']);
  for (const [index, step] of steps.entries()) {
    if (index === 0 && step.type === 'variable' && step.value === '$') continue;
    if (step.type !== 'name') return undefined;
    type = fieldOf(type, String(step.value));
    names.push(String(step.value));
    if (hasStages(step['stages'])) {
      if (!listIn(step['stages']).every(isIndex)) return undefined;
      type = itemOf(type);
    } else if ((type.kinds & ~KIND.null) === KIND.list && canBe(type, KIND.list)) {
      const rest = steps.slice(index + 1);
      if (!rest.every((each) => each.type === 'name' && !hasStages(each['stages']))) return undefined;
      return { list: names.join('.'), rest: rest.map(({ value }) => String(value)).join('.') };
    }
  }
  return undefined;
}

const isIndex = ({ type, expr }: AstNode): boolean =>
  type === 'filter' && isNode(expr) && (expr.type === 'number' || (expr.type === 'unary' && expr.value === '-'));
