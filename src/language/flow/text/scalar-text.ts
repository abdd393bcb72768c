/** Replaces single values in the text of a flow, in their existing style. `rewrite.ts` uses it. */
import type { WordsChange } from './change.ts';
import type { Edits } from './edits.ts';
import { endOf, type FlowSource, find, lineStart, type Path, startOf } from './flow-source.ts';
import { mannerOf, type Quote, writeText } from './write-yaml.ts';
import { isAlias, isMap, isScalar, isSeq, type YamlNode } from './yaml/nodes.ts';

export const quoteOf = (node: YamlNode): Quote =>
  isScalar(node) && (node.style === 'double' || node.style === 'single') ? node.style : 'plain';

export function setScalar(source: FlowSource, path: Path, value: string | number | boolean | null): Edits {
  const { text } = source;
  const found = find(source, path);
  const node = found?.node;
  if (!found || !node) return { refused: `There is no ${path.join('.')} in the text` };
  const [from, to] = [startOf(node), endOf(node)];
  if (isAlias(node)) return [{ from, to, insert: writeValue(value, mannerOf(text).quote, isInFlow(source, path)) }];
  if (!isScalar(node)) {
    return { refused: `${path.join('.')} is not one value`, hint: 'change it in the text' };
  }
  if (node.style === 'literal' || node.style === 'folded') {
    return [{ from, to, insert: writeBlock(source, node, value) }];
  }
  const wasText = typeof node.value === 'string';
  const quote = wasText ? quoteOf(node) : mannerOf(text).quote;
  const insert = writeValue(value, quote, isInFlow(source, path));
  // `key:` without a value.
  const space = from === to && /\S/.test(text[from - 1] ?? '') ? ' ' : '';
  return [{ from, to, insert: space + insert }];
}

const writeValue = (value: string | number | boolean | null, quote: Quote, inFlow: boolean): string =>
  typeof value === 'string' ? writeText(value, quote, inFlow) : String(value);

/** True if the value is inside a map in braces or a list in brackets. */
export function isInFlow(source: FlowSource, path: Path): boolean {
  return path.some((_, length) => {
    const node = find(source, path.slice(0, length))?.node;
    return (isMap(node) || isSeq(node)) && node.flow;
  });
}

/** Writes a multi-line text as a block again if the block syntax can express the new value. */
function writeBlock({ text }: FlowSource, node: YamlNode, value: string | number | boolean | null): string {
  const written = text.slice(startOf(node), endOf(node));
  const newline = /\r?\n/.exec(written)?.[0] ?? '\n';
  const ending = /\r?\n$/.test(written) ? newline : '';
  const lines = typeof value === 'string' ? value.replace(/\n$/, '').split('\n') : [];
  const isPossible = typeof value === 'string' && /^\S/.test(value) && !/\n\n$|\r/.test(value);
  if (!isPossible) return writeValue(value, 'plain', false) + ending;
  const sign = written.startsWith('>') && lines.length === 1 ? '>' : '|';
  const chomping = value.endsWith('\n') ? '' : '-';
  const keyIndent = /^ */.exec(text.slice(lineStart(text, startOf(node))))![0];
  const indent = /\n( +)\S/.exec(written)?.[1] ?? `${keyIndent}  `;
  const body = lines.map((line) => (line === '' ? '' : indent + line));
  return [sign + chomping, ...body].join(newline) + ending;
}

/** Replaces words within a value and keeps the characters around them. */
export function replaceWords(source: FlowSource, { path, pattern, words }: WordsChange): Edits {
  const node = find(source, path)?.node;
  if (!isScalar(node) || typeof node.value !== 'string') {
    return { refused: `There is no text at ${path.join('.')}` };
  }
  const start = node.range[0];
  const matches = [...source.text.slice(start, node.range[1]).matchAll(pattern)];
  if (matches.length !== words.length) {
    return { refused: `The name at ${path.join('.')} is written with escapes`, hint: 'change it in the text' };
  }
  return matches.flatMap((match, index) => {
    const insert = words[index];
    return insert === undefined
      ? []
      : [{ from: start + match.index, to: start + match.index + match[0].length, insert }];
  });
}
