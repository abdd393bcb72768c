/**
 * Entries of a map or a list as pairs, so that items of lists are added, removed and moved like pairs of maps. The key
 * of an item in block style is its dash; in brackets, the key is the whole item.
 */
import { endOf, lineStart, startOf } from './flow-source.ts';
import { isMap, type YamlMap, type YamlNode, type YamlPair, type YamlSeq } from './yaml/nodes.ts';

export function entriesOf(text: string, holder: YamlMap | YamlSeq): readonly YamlPair[] {
  if (isMap(holder)) return holder.items;
  if (holder.flow)
    return holder.items.map((item) => ({ key: keyAt(valueStart(text, item), endOf(item)), value: null }));
  const column = startOf(holder) - lineStart(text, startOf(holder));
  return holder.items.map((item) => {
    const dash = dashBefore(text, startOf(item), column);
    return { key: keyAt(dash, dash + 1), value: item };
  });
}

/** Start of a value with its anchor. */
export const valueStart = (text: string, node: YamlNode): number =>
  node.anchor === undefined ? startOf(node) : text.lastIndexOf(`&${node.anchor}`, startOf(node));

/** Position after the colon of a pair, or after the dash of an item. */
export function afterMark(text: string, { key }: YamlPair): number {
  if (text[startOf(key)] === '-' && endOf(key) === startOf(key) + 1) return endOf(key);
  return text.indexOf(':', endOf(key)) + 1;
}

const keyAt = (from: number, to: number): YamlNode => ({
  kind: 'scalar',
  value: '',
  style: 'plain',
  range: [from, to],
});

function dashBefore(text: string, at: number, column: number): number {
  let line = lineStart(text, at);
  while (line > 0 && !(text[line + column] === '-' && line + column < at)) line = lineStart(text, line - 1);
  return line + column;
}
