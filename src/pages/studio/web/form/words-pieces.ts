/** Words of callers as plain text and values: each complete `${ … }` is a value, shown as a chip. Pure. */
import { scanExpressions } from '../../../../language/flow/text/expression-code.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { ValuePiece } from '../text/value-chips.ts';
import { isPath } from './conditions.ts';

/** Piece of a text. Joined in order, the pieces are the text. */
export interface WordsPiece {
  text: string;
  from: number;
  to: number;
  /** Expression between `${` and `}`, trimmed. Absent for plain text. */
  expression?: string;
}

/** An expression that is empty or not closed is plain text. */
export function piecesOf(text: string): WordsPiece[] {
  if (!text.includes('${')) return text === '' ? [] : [{ text, from: 0, to: text.length }];
  const pieces: WordsPiece[] = [];
  let at = 0;
  const addPlain = (to: number): void => {
    if (to > at) pieces.push({ text: text.slice(at, to), from: at, to });
  };
  for (const { from, to, isClosed } of scanExpressions(text, false).expressions) {
    const expression = text.slice(from, to).trim();
    if (!isClosed || expression === '') continue;
    const start = from - 2;
    addPlain(start);
    at = to + 1;
    pieces.push({ text: text.slice(start, at), from: start, to: at, expression });
  }
  addPlain(text.length);
  return pieces;
}

export const valuesIn = (text: string): ValuePiece[] =>
  piecesOf(text).filter((piece): piece is WordsPiece & ValuePiece => piece.expression !== undefined);

/** The value as authors write it in words. */
export const writtenValue = (expression: string): string => `\${ ${expression} }`;

const MAX_CHARACTERS = 28;
const FACTS: Readonly<Record<string, string>> = {
  'call.from': t('number of the caller'),
  'call.to': t('called number'),
};

/** Short name of a value: `vars.last_order.date` is “last order · date”. An expression is shortened. */
export function nameOfValue(expression: string): string {
  const fact = FACTS[expression];
  if (fact !== undefined) return fact;
  if (isPath(expression)) {
    const keys = expression.split('.').map((key) => key.replaceAll('_', ' '));
    return (keys.length > 1 ? keys.slice(1) : keys).join(' · ');
  }
  const line = expression.replaceAll(/\s+/g, ' ');
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line;
}

/** A word that the author begins with `$`, `{` or `@` to speak a value. */
const BEGUN = /(?:(?<![\p{L}\p{N}_])@|(?<!\$)\$\{?\s?|(?<!\$)\{\s?)([\p{L}\p{M}\p{N}_.]*)$/u;

/** The begun name of a value at the end of a text, and the text that an expression inserts there. */
export function begunValue(before: string, after: string) {
  const found = BEGUN.exec(before);
  if (found === null) return undefined;
  const isClosed = found[0].includes('{') && /^\s*\}/.test(after);
  return {
    from: found.index,
    wordFrom: before.length - found[1]!.length,
    insertOf: (expression: string): string =>
      isClosed ? writtenValue(expression).slice(0, after.startsWith('}') ? -1 : -2) : writtenValue(expression),
  };
}

/** Characters that begin a value. */
export const BEGINS_VALUE = ['$', '{', '@'];
