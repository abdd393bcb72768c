/** Findings in expressions: fields that do not exist, and values that may be null. `infer.ts` reports them. */
import { quoting } from '../../../base/core/diagnostic.ts';
import { suggest } from '../../../base/schema/suggest.ts';
import type { AstNode } from '../expression-tree.ts';
import { wordsOf } from './nodes.ts';
import { type Blank, canBe, fieldNames, inWords, KIND, type Type } from './type.ts';

export interface TypeFinding {
  code: string;
  message: string;
  hint?: string | undefined;
  /** Offset in the expression, in characters. */
  position: number;
  /** Value that may be missing or null, where that is the problem; the flow may guard it elsewhere. */
  blank?: Blank | undefined;
  /** Replacement of the characters from `from` to `to` that corrects the expression. */
  repair?: { from: number; to: number; text: string } | undefined;
}

/** Reports the name at `index` of a path, which the value before it does not have. */
export function unknownField(steps: readonly AstNode[], index: number, owner: Type): Omit<TypeFinding, 'position'> {
  const name = String(steps[index]!.value);
  const code = 'unknown-field';
  const said = index === 0 ? 'the item' : quoting`${wordsOf(steps, index).join('.') || 'this'}`;
  if (!canBe(owner, KIND.map | KIND.list)) {
    return { code, message: `${said} is ${inWords(owner)}, which has no field ${quoting`${name}`}` };
  }
  const known = fieldNames(owner);
  const near = suggest(name, known);
  const others = known.length === 0 ? 'it has no fields' : `it has ${known.join(', ')}`;
  const hint = near === undefined ? others : `did you mean ${near}?`;
  return { code, message: `${said} has no field ${quoting`${name}`}`, hint };
}

/** Reports a value that may be null, where the expression fails on null. */
export function nullFinding({ kinds }: Type, blank: Blank, problem: string): TypeFinding {
  const { key = '', path = key, from = 0, why } = blank;
  const instead = kinds & KIND.text ? "''" : kinds & KIND.number ? '0' : 'false';
  const text = `(${path} = null ? ${instead} : ${path})`;
  return {
    code: 'may-be-null',
    message: `${quoting`${key}`} may be null (${why}): ${problem}`,
    hint: `write ${text}`,
    position: from,
    blank,
    repair: { from, to: from + path.length, text },
  };
}
