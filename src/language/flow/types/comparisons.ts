/** Reports comparisons that always have the same result, or fail. `infer.ts` uses it. */
import { quoting } from '../../../base/core/diagnostic.ts';
import { didYouMean } from '../../../base/schema/suggest.ts';
import type { AstNode } from '../expression-tree.ts';
import { nameOf } from './nodes.ts';
import { canBe, inWords, KIND, type Scalar, type Type, union } from './type.ts';

export const EQUALITIES: readonly string[] = ['=', '!='];
export const ORDERS: readonly string[] = ['<', '<=', '>', '>='];

interface Problem {
  code: string;
  message: string;
  hint?: string | undefined;
}

/** Returns the problem of a comparison. `asked`: paths whose existence the expression tests. */
export function comparisonProblem(
  operator: string,
  sides: readonly [AstNode, AstNode],
  [left, right]: readonly [Type, Type],
  asked: ReadonlySet<string>,
): Problem | undefined {
  if (left.kinds === 0 || right.kinds === 0) return undefined;
  const isEquality = EQUALITIES.includes(operator);
  const words = `${inWords(left)} and ${inWords(right)}`;
  const isNumberAndText =
    canBe(union(left, right), KIND.number) && canBe(union(left, right), KIND.text)
      ? 'convert one side: $number(…) or $string(…)'
      : undefined;
  if ((left.kinds & right.kinds) === 0) {
    const withNull = [left, right].some(({ kinds }) => kinds === KIND.null);
    const hint = withNull ? 'what is not there is not null: write $exists(…)' : isNumberAndText;
    const bad = isEquality
      ? { code: 'compare-types', message: `${words} are never equal, so that this is always ${operator === '!='}` }
      : { code: 'compare-order', message: `${words} cannot be ordered: this fails on the call` };
    return { ...bad, hint };
  }
  if (!isEquality) return undefined;
  if (left.values && right.values && !left.values.some((value) => right.values!.includes(value))) {
    return neverEqual(sides, left.values, right.values);
  }
  // A missing value is not null either way: `x != null` asks whether there is a value.
  if (operator !== '!=' || left.kinds === KIND.null || right.kinds === KIND.null) return undefined;
  for (const [index, type] of [left, right].entries()) {
    const name = nameOf(sides[index]!);
    if (!type.mayBeMissing || name === undefined || asked.has(name) || /^(call|env)\./.test(name)) continue;
    const message = quoting`while ${name} is missing, != is false as = is`;
    return { code: 'not-equal-missing', message, hint: `write $not(${name} = …)` };
  }
  return undefined;
}

function neverEqual(
  [left, right]: readonly [AstNode, AstNode],
  ours: readonly Scalar[],
  theirs: readonly Scalar[],
): Problem {
  const literal = isLiteral(right) ? right : isLiteral(left) ? left : undefined;
  const known = (literal === right ? ours : theirs).map(String);
  const name = nameOf(literal === right ? left : right);
  const value = literal === undefined ? '' : String(literal.value);
  const what = quoting`${name ?? 'this'}`;
  return {
    code: 'compare-value',
    message: literal === undefined ? 'these two are never equal' : `${what} is never ${quoting`${value}`}`,
    hint: literal === undefined ? undefined : (didYouMean(value, known) ?? `it is one of ${known.join(', ')}`),
  };
}

const isLiteral = ({ type }: AstNode): boolean => ['string', 'number', 'value'].includes(type);
