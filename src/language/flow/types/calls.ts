/**
 * Checks the arguments of JSONata's functions and computes the types of their results. Related: `functions.ts` (the
 * table), `infer.ts`.
 */
import { quoting } from '../../../base/core/diagnostic.ts';
import type { FunctionType } from './functions.ts';
import {
  ANY,
  canBe,
  inWords,
  itemOf,
  KIND,
  listOf,
  NUMBER,
  perhaps,
  sequenceOf,
  surely,
  type Type,
  withGap,
} from './type.ts';

interface ArgumentProblem {
  code: string;
  message: string;
  hint?: string | undefined;
  /** Index of the wrong value; undefined if the number of values is wrong. */
  index?: number;
}

/** `isRoot`: an argument taken from the context is the whole scope. */
export function argumentProblem(
  name: string,
  { parameters }: FunctionType,
  given: readonly Type[],
  isRoot: boolean,
): ArgumentProblem | undefined {
  const wanted = parameters.filter(({ isOptional }) => !isOptional).length;
  // An argument may come from the context; at the root, the context is the scope, a map.
  const fromContext = (kinds: number) => !isRoot || (kinds & KIND.map) !== 0;
  const fewest = parameters.filter(
    (each) => !each.isOptional && !(each.isFromContext && fromContext(each.kinds)),
  ).length;
  const most = parameters.some(({ isRest }) => isRest) ? Number.POSITIVE_INFINITY : parameters.length;
  if (given.length < fewest || given.length > most) {
    const number = fewest === most ? String(most) : given.length < fewest ? `at least ${fewest}` : `at most ${most}`;
    const message = `${quoting`${`$${name}`}`} takes ${number} ${number === '1' ? 'value' : 'values'}, and is given ${given.length}`;
    return { code: 'wrong-argument', message };
  }
  // An argument taken from the context shifts the positions of the others.
  if (given.length < wanted) return undefined;
  for (const [index, type] of given.entries()) {
    const parameter = parameters[Math.min(index, parameters.length - 1)];
    if (parameter === undefined || type.kinds === 0) continue;
    const accepts = parameter.kinds === KIND.list ? ANY.kinds : parameter.kinds;
    const items = parameter.itemKinds === undefined ? undefined : itemOf(type);
    const isWrong = !canBe(type, accepts) || (items && items.kinds !== 0 && !canBe(items, parameter.itemKinds!));
    if (!isWrong) continue;
    const needed = inWords({ kinds: items ? parameter.itemKinds! : parameter.kinds });
    const message = `${quoting`${`$${name}`}`} needs ${needed}, and is given ${inWords(items ?? type)}`;
    const hint = hintFor(name, items ?? type, parameter.itemKinds ?? parameter.kinds);
    return { code: 'wrong-argument', message, hint, index };
  }
  return undefined;
}

/** True if a call fails when this argument is null. */
export function refusesNull({ parameters }: FunctionType, index: number, count: number): boolean {
  // An argument taken from the context shifts the positions of the others.
  const wanted = parameters.filter(({ isOptional }) => !isOptional).length;
  const parameter = parameters[Math.min(index, parameters.length - 1)];
  return count >= wanted && parameter !== undefined && (parameter.kinds & (KIND.null | KIND.list)) === 0;
}

/** Functions that have a value although their first argument is missing. */
const WITHOUT_FIRST = ['exists', 'count', 'append', 'merge', 'now', 'local', 'millis', 'random', 'type'];

/** Types that `$map`, `$filter` and similar functions pass to their callback. */
export function lambdaArguments(name: string, list: Type | undefined): Type[] {
  if (list === undefined || !['map', 'filter', 'single'].includes(name)) return [];
  return [surely(itemOf(list)), NUMBER];
}

export function resultOf(name: string, called: FunctionType, given: readonly Type[]): Type {
  const type = knownResultOf(name, called, given);
  const gap = given[0]?.gap;
  return gap === undefined || canBeAny(type) || WITHOUT_FIRST.includes(name) ? type : withGap(type, gap);
}

const canBeAny = ({ kinds }: Type): boolean => kinds === ANY.kinds;

function knownResultOf(name: string, { result }: FunctionType, given: readonly Type[]): Type {
  const [first = ANY] = given;
  switch (name) {
    case 'filter':
    case 'distinct':
      return sequenceOf(surely(itemOf(first)));
    case 'sort':
    case 'reverse':
      return listOf(surely(itemOf(first)));
    case 'single':
      return perhaps(itemOf(first));
    case 'string':
    case 'number':
    case 'boolean':
    case 'not':
      return first.mayBeMissing ? result : surely(result);
    default:
      return result;
  }
}

function hintFor(name: string, type: Type, wanted: number): string | undefined {
  if (name === 'length' && canBe(type, KIND.list)) return 'write $count(…) for a list';
  if (wanted === KIND.text && canBe(type, KIND.number | KIND.boolean)) return 'write $string(…)';
  return wanted === KIND.number && canBe(type, KIND.text) ? 'write $number(…)' : undefined;
}
