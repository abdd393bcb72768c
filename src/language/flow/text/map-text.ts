/**
 * Adds, removes and renames entries in the text of a flow, in the style of their map or list; `rewrite.ts` uses it.
 * Comments in an entry's line, comments below it with a deeper indentation, and comments directly above it belong to the
 * entry. `entries.ts` reads the items of a list as entries.
 */
import { isObject } from '../../../base/core/json.ts';
import type { AddChange, InsertChange } from './change.ts';
import type { Edit, Edits } from './edits.ts';
import { entriesOf } from './entries.ts';
import { endOf, endOfPair, type FlowSource, find, lineStart, nextLine, type Path, startOf } from './flow-source.ts';
import { quoteOf } from './scalar-text.ts';
import { mannerOf, writeAtLineEnd, writeBlockPair, writeInline, writeKey, type YamlStyle } from './write-yaml.ts';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type YamlMap,
  type YamlNode,
  type YamlPair,
  type YamlSeq,
} from './yaml/nodes.ts';

const MAX_LINE = 120;

export function renameKey(source: FlowSource, path: Path, to: string): Edits {
  const key = find(source, path)?.pair?.key;
  if (!key || !isScalar(key)) return { refused: `There is no ${path.join('.')} in the text` };
  const manner: YamlStyle = { ...mannerOf(source.text), quote: quoteOf(key) };
  return [{ from: startOf(key), to: endOf(key), insert: writeKey(to, manner) }];
}

/** Adds pairs at one place of a map, in their order. */
export function addPairs(source: FlowSource, changes: readonly AddChange[]): Edits {
  const { text } = source;
  const { path, first, after } = changes[0]!;
  const map = find(source, path)?.node;
  const manner = mannerOf(text);
  if (isScalar(map) && map.value === null) {
    const [from, to] = [startOf(map), endOf(map)];
    const space = from === to && /\S/.test(text[from - 1] ?? '') ? ' ' : '';
    const value = Object.fromEntries(changes.map((change) => [change.key, change.value]));
    return [{ from, to, insert: `${space}${writeInline(value, manner)}` }];
  }
  if (isAlias(map)) {
    return {
      refused: `${path.join('.')} is written by the alias *${map.source}, so nothing can be added to it alone`,
      hint: `write out what *${map.source} stands for first`,
    };
  }
  if (!isMap(map)) return { refused: `${path.join('.') || 'The text'} is not a map` };
  const pairs = map.items;
  const index = first ? -1 : after === undefined ? pairs.length - 1 : indexOf(pairs, after);
  // The new key is quoted like the adjacent key.
  const neighbour = pairs.at(Math.max(index, 0));
  const quote = neighbour === undefined ? manner.quote : quoteOf(neighbour.key);
  const place: Place = { source, holder: map, entries: pairs, index, manner: { ...manner, quote } };
  if (map.flow) {
    const added = changes.map(({ key, value, written }) => {
      const inline = written !== undefined && !manner.isJson && !/[\r\n#]/.test(written) ? written : undefined;
      return inline ?? `${writeKey(key, place.manner)}${manner.colon}${writeInline(value, place.manner)}`;
    });
    return addToFlow(place, added);
  }
  const indent = ' '.repeat(columnOf(text, startOf(pairs[0]!.key)));
  const bodies = changes.map((change) => bodyOf(pairs, change, indent, place.manner));
  return addToBlock(place, bodies, path.length <= 1);
}

export function insertItem(source: FlowSource, { path, index, value }: InsertChange): Edits {
  const { text } = source;
  const list = find(source, path)?.node;
  if (!isSeq(list)) return { refused: `${path.join('.')} is not a list` };
  const manner = mannerOf(text);
  const place: Place = { source, holder: list, entries: entriesOf(text, list), index: index - 1, manner };
  if (list.flow) return addToFlow(place, [writeInline(value, manner)]);
  return addToBlock(place, [`- ${writeAtLineEnd(value, manner)}`], false);
}

const indexOf = (pairs: readonly YamlPair[], name: string): number =>
  pairs.findIndex(({ key }) => isScalar(key) && String(key.value) === name);

/** Place of new entries. */
interface Place {
  source: FlowSource;
  holder: YamlMap | YamlSeq;
  entries: readonly YamlPair[];
  /** Index of the entry before them; -1 for the start of the map or list. */
  index: number;
  manner: YamlStyle;
}

function addToFlow({ source: { text }, holder: map, entries: pairs, index, manner }: Place, added: string[]): Edits {
  if (pairs.length === 0) {
    const pad = isMap(map) ? manner.padding : '';
    const insert = `${pad}${added.join(manner.comma)}${pad}`;
    return [{ from: startOf(map) + 1, to: endOf(map) - 1, insert }];
  }
  const first = startOf(pairs[0]!.key);
  if (index < 0) return [{ from: first, to: first, insert: added.map((pair) => `${pair}, `).join('') }];
  const end = endOfPair(pairs[index]!);
  const limit = index + 1 < pairs.length ? startOf(pairs[index + 1]!.key) : endOf(map) - 1;
  const between = text.slice(end, limit);
  const comma = commaIn(between);
  const isOverLines = /\n/.test(text.slice(startOf(map), first));
  const lineEnd = /\r?\n/.exec(between.slice(comma < 0 ? 0 : comma + 1));
  if (!isOverLines || lineEnd === null) {
    const at = comma < 0 ? end : end + comma + 1;
    const space = manner.comma.slice(1);
    const insert = added.map((pair) => (comma < 0 ? `,${space}${pair}` : `${space}${pair},`)).join('');
    return [{ from: at, to: at, insert }];
  }
  const at = end + (comma < 0 ? 0 : comma + 1) + lineEnd.index;
  const indent = `${manner.newline}${text.slice(lineStart(text, first), first).replace(/\S.*$/s, '')}`;
  const lines = added.map((pair) => `${indent}${pair}`).join(',');
  if (comma >= 0) return [{ from: at, to: at, insert: `${lines},` }];
  if (at === end) return [{ from: at, to: at, insert: `,${lines}` }];
  return [
    { from: end, to: end, insert: ',' },
    { from: at, to: at, insert: lines },
  ];
}

/** Position of the comma in the text between two entries, ignoring commas in comments; -1 if there is none. */
export const commaIn = (between: string): number =>
  between.replaceAll(/#[^\n]*/g, (remark) => ' '.repeat(remark.length)).indexOf(',');

/** `isSpaced`: with the empty lines that separate the entries. */
function addToBlock(
  { source: { text }, entries: pairs, index, manner }: Place,
  bodies: readonly string[],
  isSpaced: boolean,
): Edits {
  const first = startOf(pairs[0]!.key);
  const column = columnOf(text, first);
  const indent = ' '.repeat(column);
  if (index < 0) {
    // The comments above the first entry stay above it.
    const line = lineStart(text, first);
    const isOwnLine = column > 0 && text.slice(line, first).trim() === '';
    const at = isOwnLine ? withRemarksAbove(text, line, column) : first;
    const lines = bodies.map((body) =>
      isOwnLine ? `${indent}${body}${manner.newline}` : `${body}${manner.newline}${indent}`,
    );
    return [{ from: at, to: at, insert: lines.join('') }];
  }
  const at = behind(text, pairs[index]!, column);
  const gap = isSpaced ? gapNear(text, pairs, index) : '';
  const isOpenEnd = at > 0 && text[at - 1] !== '\n';
  const lines = bodies.map((body) => {
    const line = `${gap}${indent}${body}`;
    return isOpenEnd ? `${manner.newline}${line}` : `${line}${manner.newline}`;
  });
  return [{ from: at, to: at, insert: lines.join('') }];
}

function bodyOf(
  pairs: readonly YamlPair[],
  { key, value, written, path, after }: AddChange,
  indent: string,
  manner: YamlStyle,
): string {
  if (written !== undefined) {
    const lines = written.split(/\r?\n/).map((line, number) => (number === 0 || line === '' ? line : indent + line));
    return lines.join(manner.newline);
  }
  if (isObject(value) && path.length <= 1) {
    const line = `${writeKey(key, manner)}: ${writeInline(value, manner)}`;
    const isStep = path[0] === 'steps';
    if (line.length + indent.length > MAX_LINE || key === 'prompts' || (isStep && areBlocks(pairs, after))) {
      return writeBlockPair(key, value, indent, manner);
    }
  }
  return `${writeKey(key, manner)}: ${writeAtLineEnd(value, manner)}`;
}

/** True if none of the adjacent pairs is written in one line. */
function areBlocks(pairs: readonly YamlPair[], after: string | undefined): boolean {
  const at = after === undefined ? pairs.length - 1 : indexOf(pairs, after);
  return pairs.slice(Math.max(0, at - 1), at + 2).every(({ value }) => isMap(value) && !value.flow);
}

export function columnOf(text: string, at: number): number {
  const start = lineStart(text, at);
  return at - start - (start === 0 && text.startsWith('\ufeff') ? 1 : 0);
}

/** End of a pair's content, without the line ends that the parser includes. */
export function contentEnd(node: YamlNode | null, otherwise: number): number {
  if (node === null) return otherwise;
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    if (isSeq(node)) return contentEnd(node.items.at(-1) ?? null, endOf(node));
    const last = node.items.at(-1);
    return last === undefined ? endOf(node) : contentEnd(last.value, endOf(last.key));
  }
  return endOf(node);
}

/** Position after the lines of a pair: after its comments, before the empty lines that follow. */
export function behind(text: string, pair: YamlPair, column: number): number {
  const { value } = pair;
  const end = contentEnd(value, endOf(pair.key));
  const written = text.slice(startOf(pair.key), end);
  let at = text[end - 1] === '\n' ? end : nextLine(text, end);
  const keepsEmptyLines = /[|>][0-9]?\+[^\n]*\n(?:[ \t]*\r?\n|[ \t]+\S[^\n]*\n)*$/.test(written);
  if (!keepsEmptyLines && text[end - 1] === '\n')
    at = end - (/(?:\r?\n[ \t]*)*$/.exec(written)![0].length - lineEndOf(written));
  for (let line = at; line < text.length; line = nextLine(text, line)) {
    const next = text.slice(line, nextLine(text, line));
    const remark = /^([ \t]*)#/.exec(next);
    if (remark !== null && remark[1]!.length > column) at = nextLine(text, line);
    else if (next.trim() !== '') break;
  }
  return at;
}

const lineEndOf = (written: string): number => /\r?\n/.exec(written.slice(written.trimEnd().length))?.[0].length ?? 0;

/** Empty lines that separate steps near the insertion position. */
function gapNear(text: string, pairs: readonly YamlPair[], index: number): string {
  const below = pairs[index + 1] ?? (index > 0 ? pairs[index] : undefined);
  const above = below === undefined ? '' : text.slice(0, startOf(below.key));
  return /\n((?:[ \t]*\r?\n)+)(?:[ \t]*#[^\n]*\n)*[ \t]*$/.exec(above)?.[1] ?? '';
}

export function removePair(source: FlowSource, path: Path): Edits {
  const { text } = source;
  const found = find(source, path);
  const parent = found?.parent;
  if (!found?.pair || !isMap(parent)) return { refused: `There is no ${path.join('.')} in the text` };
  return removeEntry(text, parent, parent.items.indexOf(found.pair));
}

export function removeItem(source: FlowSource, path: Path): Edits {
  const list = find(source, path)?.parent;
  if (!isSeq(list)) return { refused: `There is no ${path.join('.')} in the text` };
  return removeEntry(source.text, list, Number(path.at(-1)));
}

function removeEntry(text: string, holder: YamlMap | YamlSeq, index: number): Edits {
  const entries = entriesOf(text, holder);
  return holder.flow ? removeFromFlow(text, holder, entries, index) : removeFromBlock(text, entries, index);
}

function removeFromFlow(text: string, map: YamlMap | YamlSeq, pairs: readonly YamlPair[], index: number): Edits {
  const pair = pairs[index]!;
  const start = startOf(pair.key);
  const end = endOfPair(pair);
  const next = pairs[index + 1];
  const previous = pairs[index - 1];
  const limit = next ? startOf(next.key) : endOf(map) - 1;
  const comma = commaIn(text.slice(end, limit));
  const behindComma = comma < 0 ? end : end + comma + 1;
  const ownsLine =
    /^[ \t]*$/.test(text.slice(lineStart(text, start), start)) &&
    /^[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/.test(text.slice(behindComma));
  if (ownsLine) {
    const edits: Edit[] = [{ from: lineStart(text, start), to: nextLine(text, behindComma), insert: '' }];
    if (comma < 0 && previous) {
      const before = endOfPair(previous);
      const at = before + commaIn(text.slice(before, start));
      edits.unshift({ from: at, to: at + 1, insert: '' });
    }
    return edits;
  }
  if (next) return [{ from: start, to: limit, insert: '' }];
  if (previous) return [{ from: endOfPair(previous), to: comma < 0 ? end : behindComma - 1, insert: '' }];
  return [{ from: startOf(map) + 1, to: endOf(map) - 1, insert: '' }];
}

function removeFromBlock(text: string, pairs: readonly YamlPair[], index: number): Edits {
  const key = startOf(pairs[index]!.key);
  const column = columnOf(text, key);
  let from = lineStart(text, key);
  if (!/^\ufeff?[ \t]*(?:\?[ \t]+)?$/.test(text.slice(from, key))) {
    const next = pairs[index + 1];
    const end = behind(text, pairs[index]!, column);
    // The first pair of a map in a list: the next pair follows the dash.
    if (next !== undefined && /^[ \t]*(?:-[ \t]+)+$/.test(text.slice(from, key))) {
      if (text.slice(end, startOf(next.key)).trim() === '') return [{ from: key, to: startOf(next.key), insert: '' }];
    }
    return { refused: 'It begins in the line of something else', hint: 'remove it in the text' };
  }
  if (from === 0 && text.startsWith('\ufeff')) from = 1;
  let to = behind(text, pairs[index]!, column);
  from = withRemarksAbove(text, from, column);
  const isApart = from === 0 || /\n[ \t]*\r?\n$/.test(text.slice(0, from));
  const gap = /^(?:[ \t]*\r?\n)+/.exec(text.slice(to))?.[0];
  // If there are empty lines both before and after the pair, remove those after it.
  if (isApart && gap !== undefined) to += gap.length;
  const isLast = to === text.length;
  if (isLast && isApart)
    from =
      text.slice(0, from).trimEnd().length +
      (/\r?\n/.exec(text.slice(0, from).slice(text.slice(0, from).trimEnd().length))?.[0].length ?? 0);
  if (isLast && text[to - 1] !== '\n') from = text.slice(0, from).replace(/\r?\n$/, '').length;
  return [{ from, to, insert: '' }];
}

export function withRemarksAbove(text: string, at: number, column: number): number {
  const remark = `${' '.repeat(column)}#`;
  let from = at;
  while (from > 0) {
    const above = lineStart(text, from - 1);
    if (!text.startsWith(remark, above)) break;
    from = above;
  }
  return from;
}

/** Text of a pair's lines, without the indentation of its key. */
export function writtenPair({ text }: FlowSource, pair: YamlPair, isFlow: boolean | undefined): string {
  const start = startOf(pair.key);
  if (isFlow) return text.slice(start, endOfPair(pair));
  const column = columnOf(text, start);
  const written = text.slice(start, behind(text, pair, column)).replace(/\r?\n$/, '');
  return written
    .split(/\r?\n/)
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(column, /^ */.exec(line)![0].length))))
    .join('\n');
}
