/** Moves an entry of a map or a list with its comments. Commas, empty lines and line ends stay where they are. */
import type { Edits } from './edits.ts';
import { entriesOf } from './entries.ts';
import { endOfPair, type FlowSource, find, lineStart, nextLine, type Path, startOf } from './flow-source.ts';
import { behind, columnOf, commaIn, withRemarksAbove } from './map-text.ts';
import { isMap, isSeq, type YamlPair } from './yaml/nodes.ts';

/** The parts of a text that are put in another order; the text between them stays. */
interface Part {
  from: number;
  to: number;
  /** Comment at the end of the line, which travels with the part. */
  remark?: { from: number; to: number };
}

export function moveEntry(source: FlowSource, path: Path, to: number): Edits {
  const { text } = source;
  const found = find(source, path);
  const parent = found?.parent;
  if (!found || !(isMap(parent) || isSeq(parent))) return { refused: `There is no ${path.join('.')} in the text` };
  const entries = entriesOf(text, parent);
  const index = isMap(parent) ? entries.indexOf(found.pair!) : Number(path.at(-1));
  const last = Math.min(Math.max(to, 0), entries.length - 1);
  if (index === last) return [];
  const parts = parent.flow ? flowParts(text, entries) : blockParts(text, entries);
  if (parts === undefined) return { refused: 'It begins in the line of something else', hint: 'move it in the text' };
  const order = parts.toSpliced(index, 1).toSpliced(last, 0, parts[index]!);
  const [low, high] = [Math.min(index, last), Math.max(index, last)];
  return order.slice(low, high + 1).flatMap((moved, at) => {
    const place = parts[low + at]!;
    return [
      { from: place.from, to: place.to, insert: text.slice(moved.from, moved.to) },
      ...(place.remark === undefined || moved.remark === undefined
        ? []
        : [{ ...place.remark, insert: text.slice(moved.remark.from, moved.remark.to) }]),
    ];
  });
}

/** Whole lines, without the last line end. */
function blockParts(text: string, entries: readonly YamlPair[]): Part[] | undefined {
  const parts = entries.map((entry): Part | undefined => {
    const start = startOf(entry.key);
    const column = columnOf(text, start);
    const line = lineStart(text, start);
    if (text.slice(line, start).trim() !== '') return undefined;
    const end = behind(text, entry, column);
    const from = withRemarksAbove(text, line, column);
    return { from, to: end - /(?:\r?\n)?$/.exec(text.slice(from, end))![0].length };
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Entries in braces or brackets: without their commas, with the comments of their own lines. */
function flowParts(text: string, entries: readonly YamlPair[]): Part[] | undefined {
  const ownLines = entries.every(({ key }) => text.slice(lineStart(text, startOf(key)), startOf(key)).trim() === '');
  const parts = entries.map((entry, index): Part | undefined => {
    const [start, end] = [startOf(entry.key), endOfPair(entry)];
    if (!ownLines) return { from: start, to: end };
    const next = entries[index + 1];
    const limit = next === undefined ? nextLine(text, end) : startOf(next.key);
    const comma = commaIn(text.slice(end, limit));
    // A comment between the entry and its comma cannot be moved alone.
    if (comma > 0 && text.slice(end, end + comma).includes('#')) return undefined;
    const tail = comma < 0 ? end : end + comma + 1;
    const remark = /^[ \t]*(?:#[^\r\n]*)?/.exec(text.slice(tail))![0];
    return { from: remarksAbove(text, start), to: end, remark: { from: tail, to: tail + remark.length } };
  });
  if (!ownLines) {
    const between = entries.slice(1).map(({ key }, index) => text.slice(endOfPair(entries[index]!), startOf(key)));
    if (between.some((part) => part.includes('#'))) return undefined;
  }
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Start of an entry that owns its line, or of the comments above it. */
function remarksAbove(text: string, start: number): number {
  let from = lineStart(text, start);
  for (let above = from; above > 0; from = above) {
    above = lineStart(text, above - 1);
    if (!/^[ \t]*#/.test(text.slice(above, from))) break;
  }
  return from;
}
