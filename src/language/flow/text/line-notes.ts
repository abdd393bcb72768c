/** Comment at the end of the line of an entry, such as an exit. A line that holds several entries has none. */
import type { Edits } from './edits.ts';
import { endOfPair, type FlowSource, find, lineStart, type Path, startOf } from './flow-source.ts';
import { mannerOf } from './write-yaml.ts';
import { isMap } from './yaml/nodes.ts';

interface LineEnd {
  /** End of the entry. */
  from: number;
  /** End of the line. */
  to: number;
  /** Start of the comment. Undefined if there is none. */
  sign: number | undefined;
}

/** Paths this long lead to a step: its line is not that of one of its entries. */
const STEP_DEPTH = 2;

function lineEndOf(source: FlowSource, path: Path): LineEnd | undefined {
  const { text } = source;
  for (let length = path.length; length > STEP_DEPTH; length -= 1) {
    const pair = find(source, path.slice(0, length))?.pair;
    // The map in braces around the entry has its line, unless it holds other entries.
    if (pair === undefined || (length < path.length && isMap(pair.value) && pair.value.items.length > 1))
      return undefined;
    if (text.slice(lineStart(text, startOf(pair.key)), startOf(pair.key)).trim() !== '') continue;
    const from = endOfPair(pair);
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
    const rest = /^[ \t]*(#.*)?$/.exec(text.slice(from, to));
    const isOneLine = !text.slice(startOf(pair.key), from).includes('\n');
    if (rest === null || !isOneLine) return undefined;
    return { from, to, sign: rest[1] === undefined ? undefined : to - rest[1].length };
  }
  return undefined;
}

/** Text of the comment without its sign. Undefined if there is none. */
export function lineNoteOf(source: FlowSource, path: Path): string | undefined {
  if (mannerOf(source.text).isJson) return undefined;
  const end = lineEndOf(source, path);
  return end?.sign === undefined ? undefined : source.text.slice(end.sign, end.to).replace(/^#\s?/, '').trimEnd();
}

/** Writes the comment. Its lines are joined to one; an empty comment is removed. */
export function setLineNote(source: FlowSource, path: Path, note: string): Edits {
  const end = mannerOf(source.text).isJson ? undefined : lineEndOf(source, path);
  if (end === undefined) {
    return { refused: `${path.at(-1)} is in the line of something else`, hint: 'write the comment in the text' };
  }
  const words = note.trim().replace(/\s*\n\s*/g, ' ');
  const { from, to, sign } = end;
  if (words === (lineNoteOf(source, path) ?? '')) return [];
  if (words === '') return [{ from, to, insert: '' }];
  return sign === undefined ? [{ from, to: from, insert: ` # ${words}` }] : [{ from: sign, to, insert: `# ${words}` }];
}
