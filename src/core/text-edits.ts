/** Edits of a text, as diagnostics offer them. */
import type { TextEdit } from './diagnostic.ts';

/** The text after the edits, and how many were made: of those that touch each other the first is. */
export function applyEdits(text: string, edits: readonly TextEdit[]): { text: string; made: number } {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const offsetOf = (line: number, column: number): number => (starts[line - 1] ?? text.length) + column - 1;
  const ordered = edits
    .map((edit) => ({
      from: offsetOf(edit.line, edit.column),
      to: offsetOf(edit.endLine, edit.endColumn),
      text: edit.text,
    }))
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
