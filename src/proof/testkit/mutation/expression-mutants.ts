/**
 * Mutants of expressions: inverted conditions, limits off by one, other variables in texts, URLs or bodies. Works on
 * the tokens of an expression; the result is compiled and checked like any other flow.
 */
import { isObject } from '../../../base/core/json.ts';
import { isAt, walk } from '../../../base/schema/document.ts';
import { expressionTexts } from '../../../language/flow/template.ts';
import { type Mutant, type MutantKind, mutantAt, objectIn, type WrittenFlow } from './mutant.ts';

/** Texts come first, so that their content is not tokenised; `:=` and `~>` are not comparisons. */
const WORDS =
  /'[^']*'|"[^"]*"|`[^`]*`|:=|~>|<=|>=|!=|[<>=]|\d+(?:\.\d+)?|\$?[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{M}\p{N}_]*)*/gu;

/** Off by one, or inverted. */
const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '!=',
  '!=': '=',
  and: 'or',
  or: 'and',
};
const COMPARISONS = ['<', '<=', '>', '>=', '=', '!='];
/** Change of the number, chosen so that the result differs from that of the other operator. */
const OTHER_BY: Readonly<Record<string, number>> = { '<': -1, '<=': 1, '>': 1, '>=': -1, '=': 1, '!=': 1 };
/** The operators with swapped sides, for a number on the left. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

interface Change {
  kind: MutantKind;
  text: string;
}

/** A text of the flow that is an expression or contains some. */
interface ExpressionSite {
  pointer: string;
  text: string;
  step?: string;
  isCondition: boolean;
}

export function* expressionMutants(flow: WrittenFlow): Generator<Mutant> {
  for (const { pointer, text, step, isCondition } of expressionSites(flow)) {
    for (const { kind, text: made } of isCondition ? inCondition(text) : inTemplate(text, flow)) {
      yield mutantAt(flow, { kind, pointer, value: text, step }, made);
    }
  }
}

function* expressionSites({ root, steps }: WrittenFlow): Generator<ExpressionSite> {
  for (const { name: step, pointer, written, spec, argsPointer, args } of steps.values()) {
    for (const [at, text] of walk(args)) {
      const isCondition = isAt(at, spec.expressions);
      if (typeof text === 'string' && (isCondition || text.includes('${')))
        yield { pointer: argsPointer + at, text, step, isCondition };
    }
    const { when, set } = written;
    if (typeof when === 'string') yield { pointer: `${pointer}/when`, text: when, step, isCondition: true };
    if (spec.form === 'assignments' || !isObject(set)) continue;
    for (const [at, text] of walk(set, `${pointer}/set`)) {
      if (typeof text === 'string') yield { pointer: at, text, step, isCondition: false };
    }
  }
  for (const [pointer, text] of walk(root['output'] ?? null, '/output')) {
    if (typeof text === 'string') yield { pointer, text, isCondition: false };
  }
}

function* inCondition(source: string): Generator<Change> {
  yield { kind: 'condition', text: `$not(${source})` };
  const words = [...source.matchAll(WORDS)].map(([word]) => word);
  const operators = words.filter((word) => Object.hasOwn(OTHER_OPERATOR, word));
  // `a != b` equals `$not(a = b)`, so only one of the two mutants is made.
  const isOnlyOne = operators.length === 1 && ['=', '!='].includes(operators[0]!);
  yield* comparisonChanges(source, { operators: !isOnlyOne });
}

function* comparisonChanges(source: string, { operators = true } = {}): Generator<Change> {
  const words = [...source.matchAll(WORDS)];
  for (const [index, { 0: word, index: at }] of words.entries()) {
    const change = (text: string): Change => ({
      kind: 'condition',
      text: source.slice(0, at) + text + source.slice(at + word.length),
    });
    const other = OTHER_OPERATOR[word];
    if (other !== undefined) {
      if (operators) yield change(other);
      continue;
    }
    const [before, after] = [words[index - 1]?.[0] ?? '', words[index + 1]?.[0] ?? ''];
    const operator = COMPARISONS.includes(before)
      ? before
      : COMPARISONS.includes(after)
        ? (TURNED[after] ?? after)
        : undefined;
    if (operator === undefined) continue;
    if (/^\d/.test(word)) yield change(String(Number(word) + OTHER_BY[operator]!));
    else if (/^['"]/.test(word)) yield change(`${word[0]}not ${word.slice(1)}`);
  }
}

/** Mutants of each expression in a text with `${ … }`. */
function* inTemplate(text: string, flow: WrittenFlow): Generator<Change> {
  let from = 0;
  for (const source of expressionTexts(text)) {
    const at = text.indexOf(source, from);
    from = at + source.length;
    for (const { kind, text: made } of [...comparisonChanges(source), ...otherNames(source, flow)]) {
      yield { kind, text: text.slice(0, at) + made + text.slice(from) };
    }
  }
}

function* otherNames(source: string, flow: WrittenFlow): Generator<Change> {
  for (const { 0: word, index: at } of source.matchAll(WORDS)) {
    const other = otherName(word, flow);
    if (other !== undefined)
      yield { kind: 'variable', text: source.slice(0, at) + other + source.slice(at + word.length) };
  }
}

/** Another name of the same kind that an author could confuse with this one. */
function otherName(path: string, { root, steps }: WrittenFlow): string | undefined {
  const [scope, name, ...rest] = path.split('.');
  if (name === undefined) return undefined;
  const inScope = (key: string): string[] => Object.keys(objectIn(root, key)).map((each) => `${key}.${each}`);
  switch (scope) {
    case 'vars':
    case 'input': {
      const others =
        scope === 'vars' ? [...inScope('vars'), ...inScope('input')] : [...inScope('input'), ...inScope('vars')];
      const other = after(others, `${scope}.${name}`) ?? 'call.from';
      return [other, ...rest].join('.');
    }
    case 'call':
      return name === 'from' ? 'call.to' : name === 'to' ? 'call.from' : undefined;
    case 'steps': {
      const verb = steps.get(name)?.spec.verb;
      const alike = [...steps.values()].filter((step) => step.spec.verb === verb).map((step) => step.name);
      const other = after(alike, name);
      return other === undefined ? undefined : ['steps', other, ...rest].join('.');
    }
    default:
      return undefined;
  }
}

/** Next name, cyclically. Undefined if there is no other. */
function after<Name extends string>(names: readonly Name[], name: Name): Name | undefined {
  const other = names[(names.indexOf(name) + 1) % names.length];
  return other === name ? undefined : other;
}
