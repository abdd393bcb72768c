/** Diagnostics of the service's check as ranges of a text, with the repairs that they offer. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import { type NamesInFlow, stepAt } from './names.ts';
import { lineStarts, rangeOf } from './text-edits.ts';

export interface TextRepair {
  title: string;
  from: number;
  to: number;
  insert: string;
}

export interface Problem extends Pick<Diagnostic, 'severity' | 'message' | 'hint' | 'code' | 'line'> {
  from: number;
  to: number;
  /** Step that contains the problem. */
  step?: string;
  repair?: TextRepair;
}

/**
 * Moves problems to a text that was changed after the check: ranges after the change move with it, and a repair that
 * the change touches is removed. The next check replaces them.
 */
export function problemsAfter(before: string, after: string, problems: readonly Problem[]): Problem[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  const end = before.length - same;
  const by = after.length - before.length;
  const lines = linesIn(after.slice(start, after.length - same)) - linesIn(before.slice(start, end));
  const moved = (at: number): number => (at >= end ? at + by : Math.min(at, start));
  return problems.map(({ repair, ...problem }) => {
    const { from, to, line } = problem;
    const isApart = repair !== undefined && (repair.to <= start || repair.from >= end);
    return {
      ...problem,
      from: from < start ? from : moved(from),
      to: to <= start ? to : moved(to),
      line: from >= end ? line + lines : line,
      ...(isApart && {
        repair: repair.from >= end ? { ...repair, from: repair.from + by, to: repair.to + by } : repair,
      }),
    };
  });
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/**
 * Converts diagnostics of the checked text to ranges. Diagnostics of other files need a location in this text first
 * (`shownIn`).
 */
export function problemsOf(text: string, diagnostics: readonly Diagnostic[], names: NamesInFlow): Problem[] {
  const starts = lineStarts(text);
  return diagnostics.map(({ severity, code, message, hint, line, column, fix }) => {
    const start = starts[Math.min(line, starts.length) - 1] ?? 0;
    const lineEnd = (starts[Math.min(line, starts.length)] ?? text.length + 1) - 1;
    const wanted = Math.min(start + Math.max(0, column - 1), Math.max(start, lineEnd));
    const word = names.words.findLast(({ from, to }) => from <= wanted && wanted < to);
    // A place behind the beginning of a value is that of a name in an expression, or of a word in a text.
    const isInside = word !== undefined && wanted > word.from;
    const from = isInside ? wanted : (word?.from ?? wanted);
    const end = isInside ? wanted + lengthOfToken(text, wanted) : word?.to;
    const to = Math.max(from, Math.min(end ?? lineEnd, word?.to ?? lineEnd, lineEnd));
    const step = stepAt(names, from);
    const problem: Problem = {
      severity,
      code,
      message,
      line,
      from,
      to,
      ...(hint !== undefined && { hint }),
      ...(step !== undefined && { step }),
    };
    if (fix === undefined) return problem;
    const title = fix.text === '' ? 'Remove it' : `Write ${fix.text}`;
    return { ...problem, repair: { title, insert: fix.text, ...rangeOf(fix, text, starts) } };
  });
}

/** A path or a function, a string, a number, an operator, or a word of a text. */
const TOKEN =
  /\$?[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.(?:[\p{L}\p{M}\p{N}_]+|`[^`\n]*`))*|`[^`\n]*`|"[^"\n]*"|'[^'\n]*'|\d+(?:\.\d+)?|[~!<>:=.]{2}|[^\s\w]|\S+/uy;

function lengthOfToken(text: string, at: number): number {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0].length ?? 1;
}
