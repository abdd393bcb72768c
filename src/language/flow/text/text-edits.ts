/** Applies the text edits of diagnostics. */
import type { TextEdit } from '../../../base/core/diagnostic.ts';

/**
 * The text after the edits, and the number of applied edits: of edits that touch each other, only the first is applied.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): { text: string; made: number } {
  const starts = lineStarts(text);
  const ordered = edits
    .map((edit) => ({ ...rangeOf(edit, text, starts), text: edit.text }))
    .sort((a, b) => a.from - b.from);
  let made = 0;
  let done = 0;
  let edited = '';
  for (const { from, to, text: written } of ordered) {
    if (from < done || (made > 0 && from === done)) continue;
    edited += text.slice(done, from) + written;
    done = to;
    made += 1;
  }
  return { text: edited + text.slice(done), made };
}

/** Offset of the start of each line. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Range of the text that an edit replaces. `starts`: the line starts of the text. */
export function rangeOf(edit: Omit<TextEdit, 'text'>, text: string, starts: readonly number[]): Range {
  const offsetOf = (line: number, column: number): number => (starts[line - 1] ?? text.length) + column - 1;
  return { from: offsetOf(edit.line, edit.column), to: offsetOf(edit.endLine, edit.endColumn) };
}

export interface Range {
  from: number;
  to: number;
}
