/**
 * Formats the white space of a text: no spaces at the ends of lines, at most one empty line in a row, one line end at
 * the end. Indentation is kept, because YAML gives it a meaning.
 *
 * Invariants
 *  - Lines with content, including comments, change only in trailing spaces, and the content stays the same: the text
 *    is parsed before and after, and compared.
 *  - Multi-line texts keep every character.
 */
import { isEqualJson } from '../../../base/core/json.ts';
import { applyEdits, type Edit, isRefusal } from './edits.ts';
import { openText } from './flow-source.ts';
import type { Word } from './scan-yaml.ts';
import { lineStarts } from './text-edits.ts';

/** Returns undefined if the text cannot be parsed, or if its content would change. */
export function formatEdits(text: string, words: readonly Word[]): Edit[] | undefined {
  const before = openText(text);
  if (isRefusal(before) || before.problem !== undefined) return undefined;
  const edits = [...blanksIn(text, words)];
  const after = openText(applyEdits(text, edits));
  return !isRefusal(after) && isEqualJson(after.value, before.value) ? edits : undefined;
}

function* blanksIn(text: string, words: readonly Word[]): Generator<Edit> {
  const longTexts = words.filter(({ from, to }) => text.slice(from, to).includes('\n'));
  const isInside = (at: number): boolean => longTexts.some(({ from, to }) => from < at && at < to);
  const end = text.trimEnd().length;
  const starts = lineStarts(text).filter((start) => start < end);
  let emptyBefore = 0;
  for (const [index, start] of starts.entries()) {
    const lineEnd = Math.min(end, (starts[index + 1] ?? text.length + 1) - 1);
    const line = text.slice(start, lineEnd).replace(/\r$/, '');
    const kept = line.trimEnd();
    const isEmpty = kept === '' && !isInside(start);
    emptyBefore = isEmpty ? emptyBefore + 1 : 0;
    if (isEmpty && emptyBefore > 1) yield { from: start, to: starts[index + 1]!, insert: '' };
    else if (kept.length < line.length && !isInside(start + kept.length)) {
      yield { from: start + kept.length, to: start + line.length, insert: '' };
    }
  }
  const last = words.at(-1);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  // The end of a multi-line text may belong to the value.
  if (end > 0 && text.slice(end) !== newline && !(last !== undefined && last.to > end)) {
    yield { from: end, to: text.length, insert: newline };
  }
}
