/** Replaces a value by one of another kind, and lifts a value into a map; `rewrite.ts` uses it. */
import { isObject } from '../../../base/core/json.ts';
import type { LiftChange, SetChange } from './change.ts';
import type { Edit, Edits } from './edits.ts';
import { afterMark, entriesOf, valueStart } from './entries.ts';
import { endOf, type FlowSource, find, lineStart, nextLine, type Path, startOf } from './flow-source.ts';
import { behind, columnOf, contentEnd } from './map-text.ts';
import { isInFlow, setScalar } from './scalar-text.ts';
import { mannerOf, writeAtLineEnd, writeInline, writeKey, writePair, type YamlStyle } from './write-yaml.ts';
import { isMap, isScalar, isSeq, type YamlNode, type YamlPair } from './yaml/nodes.ts';

const MAX_LINE = 120;

export function setValue(source: FlowSource, { path, value, written }: SetChange): Edits {
  const node = find(source, path)?.node;
  const isPlain = !Array.isArray(value) && !isObject(value) && written === undefined;
  if (isPlain && !isMap(node) && !isSeq(node)) return setScalar(source, path, value);
  const entry = entryAt(source, path);
  if (!node || entry === undefined) return { refused: `There is no ${path.join('.')} in the text` };
  const { text } = source;
  const manner = mannerOf(text);
  const inFlow = isInFlow(source, path);
  const isOneLine = written !== undefined && !/[\r\n#]/.test(written) && !manner.isJson;
  if (inFlow) {
    const insert = isOneLine ? written : writeInline(value, manner);
    return [{ from: startOf(node), to: endOf(node), insert: spaced(text, node, insert) }];
  }
  const lines = written === undefined || isOneLine ? undefined : written.replace(/\s+$/, '').split(/\r?\n/);
  const inline = isOneLine ? written : writeAtLineEnd(value, manner);
  return replaceInBlock({ text, entry, node, manner }, inline, lines);
}

/** An empty value directly follows its colon. */
const spaced = (text: string, node: YamlNode, insert: string): string =>
  startOf(node) === endOf(node) && /\S/.test(text[startOf(node) - 1] ?? '') ? ` ${insert}` : insert;

interface BlockValue {
  text: string;
  entry: YamlPair;
  node: YamlNode;
  manner: YamlStyle;
}

/** Writes `lines` below the key, or `inline` behind it. A comment behind the key stays. */
function replaceInBlock(
  { text, entry, node, manner }: BlockValue,
  inline: string,
  lines: readonly string[] | undefined,
): Edits {
  const column = columnOf(text, startOf(entry.key));
  const isItem = endOf(entry.key) === startOf(entry.key) + 1 && text[startOf(entry.key)] === '-';
  const end = withoutLineEnd(text, contentEnd(node, endOf(node)));
  const mark = afterMark(text, entry);
  if (lines === undefined) {
    if (lineStart(text, startOf(node)) === lineStart(text, mark)) {
      return [{ from: startOf(node), to: end, insert: spaced(text, node, inline) }];
    }
    const lineEnd = withoutLineEnd(text, nextLine(text, mark));
    return [
      { from: mark, to: mark, insert: ` ${inline}` },
      { from: lineEnd, to: end, insert: '' },
    ];
  }
  const indent = ' '.repeat(column + (isItem ? 2 : manner.indent.length));
  const body = lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join(manner.newline);
  if (isItem) return [{ from: mark, to: end, insert: ` ${body.trimStart()}` }];
  return [{ from: mark, to: end, insert: `${manner.newline}${body}` }];
}

const withoutLineEnd = (text: string, end: number): number =>
  end - /(?:\r?\n)?$/.exec(text.slice(Math.max(0, end - 2), end))![0].length;

function entryAt(source: FlowSource, path: Path): YamlPair | undefined {
  const found = find(source, path);
  if (found?.pair !== undefined) return found.pair;
  return isSeq(found?.parent) ? entriesOf(source.text, found.parent)[Number(path.at(-1))] : undefined;
}

export function liftValue(source: FlowSource, change: LiftChange): Edits {
  const { text } = source;
  const found = find(source, change.path);
  if (!found?.node || !found.pair) return { refused: `There is no ${change.path.join('.')} in the text` };
  const { node, pair } = found;
  const manner = mannerOf(text);
  const [start, end] = [valueStart(text, node), endOf(node)];
  const written = text.slice(start, end);
  const inFlow = isInFlow(source, change.path);
  const isPlain = isScalar(node) && node.style === 'plain' && !/[,[\]{}]/.test(written);
  const isSafe = inFlow || isPlain || !isScalar(node) || node.style === 'double' || node.style === 'single';
  const isBlock = (isMap(node) || isSeq(node)) && !node.flow;
  const rest = Object.entries(change.pairs).map(([key, value]) => writePair(key, value, manner));
  const pad = manner.padding;
  const open = `{${pad}${writeKey(change.key, manner)}${manner.colon}`;
  const close = `${rest.map((each) => manner.comma + each).join('')}${pad}}`;
  const length = end - lineStart(text, start) + open.length + close.length;
  const isShort = !/\n/.test(written) && length <= MAX_LINE;
  if (inFlow || (isSafe && !isBlock && isShort)) {
    return [
      { from: start, to: start, insert: open },
      { from: end, to: end, insert: close },
    ];
  }
  return liftToBlock({ text, entry: pair, node, manner }, change);
}

/** Moves the value and the comments of its lines one level deeper, and writes the other pairs below it. */
function liftToBlock({ text, entry, node, manner }: BlockValue, { key, pairs }: LiftChange): Edits {
  const column = columnOf(text, startOf(entry.key));
  const indent = ' '.repeat(column) + manner.indent;
  const mark = afterMark(text, entry);
  const edits: Edit[] = [{ from: mark, to: mark, insert: `${manner.newline}${indent}${writeKey(key, manner)}:` }];
  const end = contentEnd(node, endOf(node));
  for (let line = nextLine(text, mark); line < end; line = nextLine(text, line)) {
    if (/^[ \t]*\r?$/m.exec(text.slice(line, nextLine(text, line)))?.index === 0) continue;
    edits.push({ from: line, to: line, insert: manner.indent });
  }
  const at = behind(text, entry, column);
  const isOpenEnd = text[at - 1] !== '\n';
  const lines = Object.entries(pairs).map(([name, value]) => {
    const line = `${indent}${writeKey(name, manner)}: ${writeAtLineEnd(value, manner)}`;
    return isOpenEnd ? `${manner.newline}${line}` : `${line}${manner.newline}`;
  });
  return [...edits, { from: at, to: at, insert: lines.join('') }];
}

/** Text of a value without the indentation of its lines; undefined if there is none. */
export function writtenValue(source: FlowSource, path: Path): string | undefined {
  const node = find(source, path)?.node;
  if (!node) return undefined;
  const { text } = source;
  const start = valueStart(text, node);
  const column = start - lineStart(text, start);
  return text
    .slice(start, contentEnd(node, endOf(node)))
    .replace(/\s+$/, '')
    .split(/\r?\n/)
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(column, /^ */.exec(line)![0].length))))
    .join('\n');
}
