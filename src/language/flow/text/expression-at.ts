/**
 * Finds the expression at the cursor, and the path that it ends with there: `vars.order.` before the cursor, or
 * `vars.order.number` around it. Works on text that cannot be parsed. Related: `expression-code.ts`, `scan-yaml.ts`.
 */
import { NAME_CHARACTERS } from '../name-patterns.ts';
import { scanExpressions } from './expression-code.ts';
import type { Word, YamlPath } from './scan-yaml.ts';
import type { Range } from './text-edits.ts';

export interface ExpressionAt extends Range {
  /** True if the expression stands alone, without `${ }`, as after `when`. */
  isBare: boolean;
  /** False if its closing brace is missing. */
  isClosed: boolean;
  /** False if the cursor is in a string or a comment of the expression. */
  isCode: boolean;
}

/** Undefined outside expressions. `isBareAt`: true for the path of an expression without `${ }`. */
export function expressionAt(
  text: string,
  at: number,
  words: readonly Word[],
  isBareAt: (path: YamlPath) => boolean = isWhen,
): ExpressionAt | undefined {
  const word = words.findLast(({ kind, from, to }) => kind === 'value' && from <= at && at <= to);
  if (word === undefined) return undefined;
  const written = text.slice(word.from, word.to);
  const quote = /^["']/.exec(written)?.[0] ?? '';
  const isQuoted = quote !== '' && written.length > 1 && written.endsWith(quote);
  const from = word.from + quote.length;
  const to = isQuoted ? word.to - 1 : word.to;
  if (at < from || at > to) return undefined;
  const isBare = isBareAt(word.path);
  // Escaped quotes of YAML are quotes of the expression.
  const content = quote === '"' ? text.slice(from, to).replaceAll('\\"', ' "') : text.slice(from, to);
  const { expressions, literals } = scanExpressions(content, isBare);
  const found = expressions.find((each) => from + each.from <= at && at <= from + each.to);
  if (found === undefined) return undefined;
  const isCode = !literals.some((literal) => from + literal.from < at && at < from + literal.to);
  return { from: from + found.from, to: from + found.to, isClosed: found.isClosed, isCode, isBare };
}

/** `when` of a step. */
export const isWhen = (path: YamlPath): boolean => path.length === 3 && path[0] === 'steps' && path[2] === 'when';

const NAME = `(?:[\\p{L}_$][${NAME_CHARACTERS}]*|\`[^\`\\n]*\`)`;
const STAGE = '(?:\\[[^\\][]*\\])*';
const BEFORE = new RegExp(`((?:${NAME}${STAGE}\\s*\\.\\s*)*)(\\$?[${NAME_CHARACTERS}]*|\`[^\`\\n]*)$`, 'u');
const AFTER = new RegExp(`^[${NAME_CHARACTERS}]*`, 'u');

export interface PathAt {
  /** Path of the value whose fields are wanted; empty for the scope itself. */
  path: string;
  /** Name that is being typed, and its range. */
  name: string;
  from: number;
  to: number;
}

/** Path in front of the cursor, and the name at it. Undefined after the value of a call or a bracket. */
export function pathAt(text: string, at: number, expression: Range): PathAt | undefined {
  const before = text.slice(expression.from, at);
  const [whole = '', path = '', typed = ''] = BEFORE.exec(before) ?? [];
  if (/[.\])]\s*$/.test(before.slice(0, before.length - whole.length))) return undefined;
  const rest = AFTER.exec(text.slice(at, expression.to))?.[0] ?? '';
  return { path: path.replace(/\s*\.\s*$/, ''), name: typed + rest, from: at - typed.length, to: at + rest.length };
}
