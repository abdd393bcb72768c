/**
 * Conditions as rows: value, comparison, value. Pure. `condition-editor.tsx` draws them.
 *
 * Invariants
 *  - Rows that are written and read again are the same rows.
 *  - A condition that is not written as rows would write it is not read, so that it is never rewritten.
 */
import { t } from '../../../shared/web/words/translate.ts';

export type Comparison = '=' | '!=' | '>' | '>=' | '<' | '<=' | 'contains';

export interface ComparedValue {
  /** Path of a value: `vars.tier`. */
  left: string;
  is: Comparison;
  /** Text without quotes, a number, `true` or `false`. */
  right: string;
}

export interface Conditions {
  /** True if one of them is enough. */
  isAny: boolean;
  rows: readonly ComparedValue[];
}

export const COMPARISONS: readonly (readonly [is: Comparison, words: string])[] = [
  ['=', t('is ## equals')],
  ['!=', t('is not')],
  ['>', t('is more than')],
  ['>=', t('is at least')],
  ['<', t('is less than')],
  ['<=', t('is at most')],
  ['contains', t('contains')],
];

const PATH = /^(?:vars|input|steps|call|result|item|event)(?:\.[\p{L}_][\p{L}\p{M}\p{N}_]*)+$/u;
const COMPARED = /^(\S+) (=|!=|>=|<=|>|<) (.+)$/s;
const CONTAINS = /^\$contains\((\S+), (.+)\)$/s;
const LITERAL = /^(?:-?\d+(?:\.\d+)?|true|false)$/;

export const isPath = (text: string): boolean => PATH.test(text);

/** Undefined if a value cannot be written in quotes. */
export function writeConditions({ isAny, rows }: Conditions): string | undefined {
  const written = rows.map(writeCondition);
  return written.every((row) => row !== undefined) ? written.join(isAny ? ' or ' : ' and ') : undefined;
}

function writeCondition({ left, is, right }: ComparedValue): string | undefined {
  const value = LITERAL.test(right) && is !== 'contains' ? right : quoted(right);
  if (value === undefined || !isPath(left)) return undefined;
  return is === 'contains' ? `$contains(${left}, ${value})` : `${left} ${is} ${value}`;
}

function quoted(text: string): string | undefined {
  if (/[\\\n\r]/.test(text)) return undefined;
  if (!text.includes("'")) return `'${text}'`;
  return text.includes('"') ? undefined : `"${text}"`;
}

/** Undefined if the expression is not made of rows. */
export function readConditions(expression: string): Conditions | undefined {
  const words = [' and ', ' or '].filter((word) => splitAt(expression, word).length > 1);
  if (words.length > 1) return undefined;
  const rows = splitAt(expression, words[0] ?? ' and ').map(readCondition);
  if (!rows.every((row) => row !== undefined)) return undefined;
  const read: Conditions = { isAny: words[0] === ' or ', rows };
  return sameQuotes(writeConditions(read) ?? '') === sameQuotes(expression) ? read : undefined;
}

/** Texts may be in either quotes, unless they contain one. */
const sameQuotes = (expression: string): string => expression.replaceAll(/"([^"']*)"/g, "'$1'");

function readCondition(written: string): ComparedValue | undefined {
  const contains = CONTAINS.exec(written);
  const [, left, is, value] = contains
    ? [written, contains[1], 'contains', contains[2]]
    : (COMPARED.exec(written) ?? []);
  const right = value === undefined ? undefined : literalOf(value);
  if (left === undefined || right === undefined || !isPath(left)) return undefined;
  return { left, is: is as Comparison, right };
}

const literalOf = (value: string): string | undefined =>
  LITERAL.test(value) ? value : (/^'([^'\\]*)'$/.exec(value)?.[1] ?? /^"([^"\\]*)"$/.exec(value)?.[1]);

/** Parts between a word, outside of quotes. */
function splitAt(expression: string, word: string): string[] {
  const parts = [''];
  let quote = '';
  for (let at = 0; at < expression.length; at++) {
    const char = expression[at]!;
    if (quote === '' && expression.startsWith(word, at)) {
      parts.push('');
      at += word.length - 1;
      continue;
    }
    if (quote === '' ? /['"`]/.test(char) : char === quote) quote = quote === '' ? char : '';
    parts[parts.length - 1] += char;
  }
  return parts;
}
