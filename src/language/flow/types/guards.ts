/**
 * Reads conditions: the paths whose values exist, or are not null, if a condition is true or false. `infer.ts` uses it
 * for the branches of a condition. Lenient: a path that a condition tests in any form counts as guarded.
 */
import { type AstNode, nodesOf, startOf } from '../expression-tree.ts';
import { EQUALITIES, ORDERS } from './comparisons.ts';
import { hasStages, keyOf, listIn, wordsOf } from './nodes.ts';
import { notNull, type Type, withoutReasons } from './type.ts';

/** `there`: the value exists; `solid`: it is not null either. */
export type GuardedAs = 'there' | 'solid';
/** By path as in `keyOf`. */
export type Guards = ReadonlyMap<string, GuardedAs>;

export const NO_GUARDS: Guards = new Map();

/** Returns what is known of a path. Each path above a guarded one exists and is a map. */
export function presenceOf(guards: Guards, key: string): GuardedAs | undefined {
  const own = guards.get(key);
  if (own === 'solid' || guards.size === 0) return own;
  for (const guarded of guards.keys()) if (guarded.startsWith(`${key}.`)) return 'solid';
  return own;
}

/** Guards of either. */
export function withGuards(one: Guards, other: Guards): Guards {
  if (other.size === 0) return one;
  const made = new Map(one);
  for (const [key, presence] of other) if (made.get(key) !== 'solid') made.set(key, presence);
  return made;
}

/** Guards of both. */
const common = (one: Guards, other: Guards): Guards =>
  new Map(
    [...one].flatMap(([key, presence]): [string, GuardedAs][] =>
      other.has(key) ? [[key, presence === 'solid' ? other.get(key)! : presence]] : [],
    ),
  );

/** Results of which a condition reads a field: another field may tell by which outcome the step was left. */
export function resultsAsked(condition: AstNode): Guards {
  const keys = nodesOf(condition).flatMap((node) => keyOf(node) ?? []);
  return new Map(
    keys.flatMap((key): [string, GuardedAs][] => (ownerOf(key) === undefined ? [] : [[`?${ownerOf(key)}`, 'there']])),
  );
}

/** The result to which a path belongs: `result`, or `steps.NAME`. */
const ownerOf = (key: string): string | undefined => /^(result|steps\.[^.]+)\./.exec(key)?.[1];

/** Guards that hold if the condition is `truth`. `bound`: expressions of local names. */
export function guardsOf(condition: AstNode, truth: boolean, bound: ReadonlyMap<string, AstNode>): Guards {
  const inner = (node: unknown, isTrue: boolean): Guards => guardsOf(node as AstNode, isTrue, bound);
  const { type, value, lhs, rhs } = condition;
  const key = keyOf(condition);
  if (key !== undefined) {
    const meant = type === 'variable' ? bound.get(String(value)) : undefined;
    const own: Guards = truth ? new Map([[key, 'solid']]) : NO_GUARDS;
    return meant === undefined ? own : withGuards(own, inner(meant, truth));
  }
  if (type === 'block') return inner(listIn(condition['expressions']).at(-1) ?? { type: '' }, truth);
  if (type === 'function') return guardsOfCall(condition, truth, inner);
  if (type !== 'binary') return NO_GUARDS;
  if (value === 'and' || value === 'or') {
    const isBoth = (value === 'and') === truth;
    return (isBoth ? withGuards : common)(inner(lhs, truth), inner(rhs, truth));
  }
  const sides = [lhs, rhs] as AstNode[];
  if (EQUALITIES.includes(String(value)) && sides.some(isNull)) {
    // The other side is not null, or the condition asks whether it is.
    return new Map(sides.flatMap((side) => [...tested(side, truth === (value === '!=') ? 'solid' : 'there')]));
  }
  const isCompared = [...EQUALITIES, ...ORDERS, 'in'].includes(String(value));
  return truth && isCompared ? new Map(sides.flatMap((side) => [...tested(side, 'solid')])) : NO_GUARDS;
}

function guardsOfCall(call: AstNode, truth: boolean, inner: (node: unknown, isTrue: boolean) => Guards): Guards {
  const [first] = listIn(call['arguments']);
  if (first === undefined) return NO_GUARDS;
  switch ((call['procedure'] as AstNode | undefined)?.value) {
    case 'not':
      return inner(first, !truth);
    case 'boolean':
      return inner(first, truth);
    case 'exists':
      return truth ? tested(first, 'there') : NO_GUARDS;
    default:
      return truth ? tested(call, 'solid') : NO_GUARDS;
  }
}

const isNull = ({ type, value }: AstNode): boolean => type === 'value' && value === null;

/** Paths that exist if the expression has a value. */
function tested(node: AstNode, presence: GuardedAs): Guards {
  const key = keyOf(node);
  if (key !== undefined) return new Map([[key, presence]]);
  const { type, lhs, rhs } = node;
  const parts =
    type === 'function'
      ? listIn(node['arguments'])
      : type === 'binary' || type === 'apply'
        ? ([lhs, rhs] as AstNode[])
        : type === 'block'
          ? listIn(node['expressions']).slice(-1)
          : type === 'path'
            ? listIn(node['steps']).slice(0, 1)
            : [];
  return new Map(parts.flatMap((part) => [...tested(part, 'solid')]));
}

/**
 * Removes the reasons for a blank that guards exclude, and adds the path to the others. `steps`: path of the value;
 * below an item of a list or a computed value, it is not known which value is missing.
 */
export function withoutGuarded(
  type: Type,
  steps: readonly AstNode[],
  { guards, isRoot }: { guards: Guards; isRoot: boolean },
): Type {
  if (!type.gap && !type.nil) return type;
  const isKnown = (isRoot || steps[0]?.type === 'variable') && !steps.some((step) => hasStages(step['stages']));
  const words = isKnown ? wordsOf(steps, steps.length) : [];
  const from = startOf(steps.find((step) => step.type === 'name' || isLocal(step)));
  if (words.length === 0 || from === undefined) return withoutReasons(type);
  const path = words.join('.');
  const presence = presenceOf(guards, path);
  const { gap: found, nil, ...rest } = presence === 'solid' ? notNull(type) : type;
  const gap = found?.byOutcome && guards.has(`?${ownerOf(path)}`) ? undefined : found;
  return {
    ...rest,
    ...(gap && presence === undefined && { gap: { key: path, ...gap, path, from } }),
    ...(nil && { nil: { key: path, ...nil, path, from } }),
    ...(presence !== undefined && { mayBeMissing: false }),
  };
}

const isLocal = ({ type, value }: AstNode): boolean => type === 'variable' && value !== '' && value !== '$';
