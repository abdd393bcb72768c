/**
 * Finds the code of expressions in a text that may be incomplete: the parts between `${` and `}`, and in them what is
 * neither a string, nor a comment, nor a pattern. `references.ts` renames in it; `expression-at.ts` finds the cursor.
 */
import type { Range } from './text-edits.ts';

export interface ExpressionCode {
  /** The text with spaces in place of everything that is not code, braces of templates included. */
  code: string;
  /** Content of each `${ … }`; of the last one to the end of the text if it is not closed. */
  expressions: readonly (Range & { isClosed: boolean })[];
  /** Strings, comments and patterns inside expressions. */
  literals: readonly Range[];
}

/** `isWhole`: the text is a single expression, without `${ }`. */
export function scanExpressions(text: string, isWhole: boolean): ExpressionCode {
  const expressions: (Range & { isClosed: boolean })[] = [];
  const literals: Range[] = [];
  let code = '';
  let at = 0;
  let begin = 0;
  /** Number of open braces; 0 outside an expression. */
  let depth = isWhole ? 1 : 0;
  const skip = (length: number): void => {
    code += ' '.repeat(Math.min(length, text.length - at));
    at += length;
  };
  while (at < text.length) {
    const rest = text.slice(at);
    if (depth === 0) {
      if (rest.startsWith('$${')) skip(3);
      else if (rest.startsWith('${')) {
        depth = 1;
        skip(2);
        begin = at;
      } else skip(1);
      continue;
    }
    const other =
      /^(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\/\*[\s\S]*?(?:\*\/|$))/.exec(rest)?.[0] ?? patternAt(rest, code);
    if (other !== undefined) {
      literals.push({ from: at, to: at + other.length });
      skip(other.length);
      continue;
    }
    const name = /^`[^`]*`?/.exec(rest)?.[0] ?? rest[0]!;
    if (name === '{') depth += 1;
    if (name === '}' && !(isWhole && depth === 1)) depth -= 1;
    if (depth === 0) expressions.push({ from: begin, to: at, isClosed: true });
    code += name;
    at += name.length;
  }
  if (depth > 0) expressions.push({ from: begin, to: text.length, isClosed: isWhole });
  return { code, expressions, literals };
}

/** Replaces everything that is not code by spaces. */
export const codeOf = (text: string, isWhole: boolean): string => scanExpressions(text, isWhole).code;

/** A slash begins a pattern after an operator, and divides after a value. */
function patternAt(rest: string, code: string): string | undefined {
  if (!rest.startsWith('/') || /[\w)\]}`]\s*$/.test(code)) return undefined;
  return /^\/(?:\\.|[^/\\\n])+\/[im]*/.exec(rest)?.[0];
}
