/**
 * Infers the type of an expression from its tree, without a call, and reports problems: operators and functions that
 * fail on their arguments, fields that never exist, comparisons with a constant result. Depends on JSONata, not on
 * flows. Related: `type.ts` (the types), `functions.ts` (JSONata's functions), `scope.ts` (the scope).
 *
 * Invariant: an expression that may be correct is never reported; anything not understood is `ANY`.
 */
import { quoting } from '../../../base/core/diagnostic.ts';
import { suggest } from '../../../base/schema/suggest.ts';
import { type AstNode, startOf } from '../expression-tree.ts';
import { argumentProblem, lambdaArguments, refusesNull, resultOf } from './calls.ts';
import { comparisonProblem, EQUALITIES, ORDERS } from './comparisons.ts';
import { nullFinding, type TypeFinding, unknownField } from './findings.ts';
import { FUNCTIONS, type FunctionType } from './functions.ts';
import { type Guards, guardsOf, NO_GUARDS, resultsAsked, withGuards, withoutGuarded } from './guards.ts';
import { existingPaths, hasStages, isNode, listIn, nameOf, wordsOf } from './nodes.ts';
import {
  ANY,
  BOOLEAN,
  canBe,
  eachOf,
  FUNCTION,
  fieldOf,
  inWords,
  itemOf,
  KIND,
  listOf,
  literalType,
  mapOf,
  NOTHING,
  NUMBER,
  perhaps,
  type Scalar,
  sequenceOf,
  surely,
  TEXT,
  type Type,
  union,
  withGap,
} from './type.ts';

/** Names and values that a part of an expression sees. */
interface View {
  /** Type in which names are looked up. */
  context: Type;
  /** True if the context is the whole scope. */
  isRoot: boolean;
  locals: ReadonlyMap<string, Type>;
  /** Values that exist here, because a condition tests them. */
  guards: Guards;
}

export function inferType(tree: AstNode, scope: Type, report: (finding: TypeFinding) => void): Type {
  return new Inference(tree, scope, report).of(tree, {
    ...{ context: scope, isRoot: true, locals: NO_LOCALS, guards: NO_GUARDS },
  });
}

const ARITHMETIC = ['+', '-', '*', '/', '%'];
/** JSONata functions that flows cannot use. */
const REMOVED = ['eval', 'shuffle'];
const NONE: ReadonlySet<string> = new Set();
const NO_LOCALS: ReadonlyMap<string, Type> = new Map();

class Inference {
  readonly #scope: Type;
  readonly #report: (finding: TypeFinding) => void;
  readonly #tree: AstNode;
  /** Expressions of local names. */
  readonly #bound = new Map<string, AstNode>();

  constructor(tree: AstNode, scope: Type, report: (finding: TypeFinding) => void) {
    this.#scope = scope;
    this.#report = report;
    this.#tree = tree;
  }

  of(node: AstNode, view: View): Type {
    const type = this.#bare(node, view);
    return isNode(node['group']) || hasStages(node['predicate']) ? this.#stages(node, 'predicate', type, view) : type;
  }

  #bare(node: AstNode, view: View): Type {
    switch (node.type) {
      case 'string':
      case 'number':
      case 'value':
        return literalType(node.value as Scalar);
      case 'path':
        return this.#path(node, view);
      case 'binary':
        return this.#binary(node, view);
      case 'unary':
        return this.#unary(node, view);
      case 'condition':
        return this.#condition(node, view);
      case 'block':
        return this.#block(node, view);
      case 'bind':
        return this.of(node.rhs as AstNode, view);
      case 'variable':
        return this.#variable(node, view);
      case 'function':
        return this.#call(node, view);
      case 'apply':
        return this.#apply(node, view);
      case 'lambda':
        this.#lambda(node, view, []);
        return FUNCTION;
      case 'regex':
        return FUNCTION;
      case 'partial':
        this.#known(node['procedure'] as AstNode, view);
        for (const given of listIn(node['arguments'])) if (given.type !== 'operator') this.of(given, view);
        return FUNCTION;
      default:
        return ANY;
    }
  }

  // --- paths ---------------------------------------------------------------------------------------------------------

  #path(path: AstNode, view: View): Type {
    const steps = listIn(path['steps']);
    let type = view.context;
    let { locals } = view;
    for (const [index, step] of steps.entries()) {
      const isFirst = index === 0;
      const here: View = isFirst
        ? { ...view, locals }
        : { ...view, context: itemOf(type), isRoot: type === this.#scope, locals };
      if (step.type === 'name')
        type = withoutGuarded(this.#name(steps, index, type, here), steps.slice(0, index + 1), view);
      else if (step.type === 'sort') this.#sort(step, here);
      else if (isFirst) type = this.of(step, here);
      else type = eachOf(type, this.of(step, here));
      const { focus, index: counter } = step;
      if (typeof focus === 'string' || typeof counter === 'string') {
        // From this step on, the context is not known.
        locals = new Map([...locals, [String(focus ?? counter), ANY]]);
        type = ANY;
      }
      if (hasStages(step['stages'])) type = this.#stages(step, 'stages', type, { ...here, locals });
    }
    if (isNode(path['group'])) return mapOf(new Map(), 'any');
    return path['keepSingletonArray'] === true ? listOf(surely(itemOf(type))) : type;
  }

  #name(steps: AstNode[], index: number, type: Type, view: View): Type {
    const step = steps[index]!;
    const name = String(step.value);
    const position = startOf(step) ?? 0;
    const found = fieldOf(type, name);
    if (index === 0 && !view.isRoot && this.#isScope(steps)) {
      const hint = `write $$.${wordsOf(steps, steps.length).join('.')}`;
      const message = quoting`inside brackets and after a dot, names begin at the item: ${wordsOf(steps, 2).join('.')} is looked for in it`;
      this.#report({
        code: 'name-in-item',
        message,
        hint,
        position,
        repair: { from: position, to: position, text: '$$.' },
      });
      return ANY;
    }
    if (found.kinds !== 0 || (type.kinds === 0 && type.mayBeMissing)) return found;
    this.#report({ ...unknownField(steps, index, type), position });
    return ANY;
  }

  /** True if the path was meant to begin at the scope: its first two names exist there. */
  #isScope(steps: AstNode[]): boolean {
    const [scope, name] = wordsOf(steps, 2);
    if (scope === undefined || name === undefined) return false;
    return this.#scope.fields?.get(scope)?.fields?.has(name) === true;
  }

  #sort({ terms }: AstNode, view: View): void {
    for (const { expression } of listIn(terms)) this.of(expression as AstNode, { ...view, isRoot: false });
  }

  #stages(node: AstNode, key: 'stages' | 'predicate', type: Type, view: View): Type {
    let found = type;
    for (const stage of listIn(node[key])) {
      if (stage.type !== 'filter') continue;
      const filter = stage['expr'] as AstNode;
      const item = itemOf(found);
      if (filter.type === 'number' || (filter.type === 'unary' && filter.value === '-')) {
        found = perhaps(item);
        continue;
      }
      this.of(filter, { ...view, context: surely(item), isRoot: false });
      found = sequenceOf(surely(item));
    }
    return isNode(node['group']) ? mapOf(new Map(), 'any') : found;
  }

  // --- operators -----------------------------------------------------------------------------------------------------

  #binary(node: AstNode, view: View): Type {
    const operator = String(node.value);
    const left = this.of(node.lhs as AstNode, view);
    const right = this.of(
      node.rhs as AstNode,
      operator === 'and' || operator === 'or' ? this.#if(node.lhs, operator === 'and', view) : view,
    );
    const position = Math.max(0, (node.position ?? 1) - operator.length);
    if (EQUALITIES.includes(operator) || ORDERS.includes(operator)) {
      const sides = [node.lhs as AstNode, node.rhs as AstNode] as const;
      const asked = operator === '!=' ? new Set(existingPaths(this.#tree)) : NONE;
      const problem = comparisonProblem(operator, sides, [left, right], asked);
      if (problem) this.#report({ ...problem, position });
      else if (ORDERS.includes(operator))
        this.#mustNotBeNull([left, right], 'null cannot be ordered: this fails on the call');
      return BOOLEAN;
    }
    if (ARITHMETIC.includes(operator) || operator === '..') {
      for (const [side, written] of [
        [left, node.lhs],
        [right, node.rhs],
      ] as const) {
        this.#mustBeNumber(side, written as AstNode, operator, position);
      }
      this.#mustNotBeNull([left, right], quoting`${operator} fails on null`);
      const isThere = !left.mayBeMissing && !right.mayBeMissing;
      const made = operator === '..' ? listOf(NUMBER) : NUMBER;
      const gap = left.gap ?? right.gap;
      return isThere ? made : gap ? withGap(made, gap) : perhaps(made);
    }
    if (operator !== '&') return BOOLEAN;
    this.#mustNotBeNull([left, right], quoting`${'&'} writes the word null`);
    const hole = left.gap ?? right.gap ?? left.hole ?? right.hole;
    return hole ? { ...TEXT, hole } : TEXT;
  }

  /** Scope of an expression that is evaluated only if a condition is `truth`. */
  #if(condition: unknown, truth: boolean, view: View): View {
    const tested = condition as AstNode;
    const guards = withGuards(guardsOf(tested, truth, this.#bound), resultsAsked(tested));
    return guards.size === 0 ? view : { ...view, guards: withGuards(view.guards, guards) };
  }

  #mustNotBeNull(types: readonly Type[], problem: string): void {
    for (const type of types) if (type.nil?.key !== undefined) this.#report(nullFinding(type, type.nil, problem));
  }

  #mustBeNumber(type: Type, written: AstNode, operator: string, position: number): void {
    if (type.kinds === 0 || canBe(type, KIND.number)) return;
    const name = nameOf(written);
    const side = name === undefined ? 'one side' : quoting`${name}`;
    const message = `${quoting`${operator}`} calculates with numbers, and ${side} is ${inWords(type)}`;
    const isText = canBe(type, KIND.text);
    const hint = !isText
      ? undefined
      : operator === '+'
        ? 'write $number(…) to add, & to join texts'
        : 'write $number(…)';
    this.#report({ code: 'wrong-operand', message, hint, position });
  }

  #unary(node: AstNode, view: View): Type {
    if (node.value === '-') {
      const type = this.of(node['expression'] as AstNode, view);
      this.#mustBeNumber(type, node['expression'] as AstNode, '-', Math.max(0, (node.position ?? 1) - 1));
      return type.mayBeMissing ? perhaps(NUMBER) : NUMBER;
    }
    if (node.value === '[') {
      const items = listIn(node['expressions']).map((each) => surely(itemOf(this.of(each, view))));
      return listOf(items.length === 0 ? NOTHING : items.reduce(union));
    }
    if (node.value !== '{') return ANY;
    const fields = new Map<string, Type>();
    let isKnown = true;
    for (const [key, value] of (node.lhs ?? []) as [AstNode, AstNode][]) {
      this.of(key, view);
      const type = this.of(value, view);
      if (key.type === 'string') fields.set(String(key.value), type);
      else isKnown = false;
    }
    return mapOf(fields, isKnown ? 'none' : 'any');
  }

  #condition(node: AstNode, view: View): Type {
    const { condition } = node;
    this.of(condition as AstNode, view);
    const chosen = this.of(node['then'] as AstNode, this.#if(condition, true, view));
    return union(chosen, isNode(node['else']) ? this.of(node['else'], this.#if(condition, false, view)) : NOTHING);
  }

  // --- local names ---------------------------------------------------------------------------------------------------

  #block(node: AstNode, view: View): Type {
    const locals = new Map(view.locals);
    const inside = { ...view, locals };
    let last = NOTHING;
    for (const expression of listIn(node['expressions'])) {
      // A function may call itself.
      const bound = expression.type === 'bind' ? String((expression.lhs as AstNode).value) : undefined;
      if (bound !== undefined) locals.set(bound, ANY);
      last = this.of(expression, inside);
      if (bound === undefined) continue;
      locals.set(bound, last);
      this.#bound.set(bound, expression.rhs as AstNode);
    }
    return last;
  }

  #variable(node: AstNode, view: View): Type {
    const name = String(node.value);
    if (name === '') return view.context;
    if (name === '$') return this.#scope;
    const bound = view.locals.get(name);
    if (bound !== undefined) return withoutGuarded(bound, [node], view);
    if (FUNCTIONS.has(name)) return FUNCTION;
    const position = startOf(node) ?? 0;
    const message = quoting`nothing gives ${`$${name}`} a value`;
    const hint = 'give it a value before: ($name := …; …)';
    this.#report({ code: 'unknown-local', message, position, hint: this.#nearestTo(name, view, hint) });
    return ANY;
  }

  #lambda(node: AstNode, view: View, given: readonly Type[]): Type {
    const parameters = listIn(node['arguments']).map(({ value }, index): [string, Type] => [
      String(value),
      given[index] ?? ANY,
    ]);
    return this.of(node['body'] as AstNode, { ...view, locals: new Map([...view.locals, ...parameters]) });
  }

  // --- functions -----------------------------------------------------------------------------------------------------

  #call(node: AstNode, view: View, piped?: Type): Type {
    const procedure = node['procedure'] as AstNode;
    const known = this.#known(procedure, view);
    const written = listIn(node['arguments']);
    const name = String(procedure.value);
    const given = piped === undefined ? [] : [piped];
    for (const argument of written) {
      const lambda = argument.type === 'lambda' && known !== undefined;
      if (lambda) {
        const made = this.#lambda(argument, view, lambdaArguments(name, given[0]));
        given.push(FUNCTION);
        if (name === 'map') return sequenceOf(surely(made));
      } else given.push(this.of(argument, view));
    }
    if (known === undefined) return ANY;
    const problem = argumentProblem(name, known, given, view.isRoot);
    if (problem) {
      const { index = -1, ...bad } = problem;
      const argument = written[index - (piped === undefined ? 0 : 1)];
      this.#report({ ...bad, position: startOf(argument) ?? startOf(procedure) ?? 0 });
    } else {
      const failing = given.filter((_, index) => refusesNull(known, index, written.length));
      this.#mustNotBeNull(failing, quoting`${`$${name}`} fails on null`);
    }
    return resultOf(name, known, given);
  }

  /** Type of the called function, if it is one of JSONata's. */
  #known(procedure: AstNode, view: View): FunctionType | undefined {
    if (procedure.type !== 'variable') {
      this.of(procedure, view);
      return undefined;
    }
    const name = String(procedure.value);
    if (view.locals.has(name)) return undefined;
    const found = FUNCTIONS.get(name);
    if (found !== undefined) return found;
    const position = startOf(procedure) ?? 0;
    const called = `$${name}`;
    if (REMOVED.includes(name)) {
      this.#report({ code: 'unknown-function', message: quoting`flows cannot use the function ${called}`, position });
    } else {
      const message = quoting`there is no function ${called}`;
      this.#report({ code: 'unknown-function', message, position, hint: this.#nearestTo(name, view) });
    }
    return undefined;
  }

  /** Nearest known name to a misspelt `$name`. */
  #nearestTo(name: string, { locals }: View, hint?: string): string | undefined {
    const near = suggest(name, [...locals.keys(), ...FUNCTIONS.keys()]);
    if (near === undefined) return hint;
    return `did you mean $${near}?`;
  }

  #apply(node: AstNode, view: View): Type {
    const piped = this.of(node.lhs as AstNode, view);
    const rhs = node.rhs as AstNode;
    if (piped.kinds === KIND.function) {
      this.of(rhs, view);
      return FUNCTION;
    }
    if (rhs.type === 'function') return this.#call(rhs, view, piped);
    if (rhs.type === 'variable') return this.#call({ type: 'function', procedure: rhs }, view, piped);
    if (rhs.type === 'lambda') this.#lambda(rhs, view, [piped]);
    else this.of(rhs, view);
    return ANY;
  }
}
