/** Text of a flow with the locations of its content. `rewrite.ts` edits it; `write-yaml.ts` detects its style. */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { isObject } from '../../../base/core/json.ts';
import type { EditRefusal } from './edits.ts';
import { type FlowText, readFlow } from './flow-reader.ts';
import { isAlias, isMap, isScalar, isSeq, nodesIn, type YamlNode, type YamlPair } from './yaml/nodes.ts';

export type Path = readonly (string | number)[];

/** A text without syntax errors whose content is a map. */
export interface FlowSource extends FlowText {
  readonly value: JsonObject;
}

/** Reads the text, which is parsed only if it has changed since it was last read. */
export function openText(text: string): FlowSource | EditRefusal {
  const read = readFlow(text);
  if (isSource(read)) return read;
  if (read.problem !== undefined) return errorAt(read, read.problem);
  if (!read.isSound) return { refused: 'The text has aliases that lead to too much' };
  return { refused: 'The text is not a map', hint: 'a flow begins with flow: NAME' };
}

export const isSource = (read: FlowText): read is FlowSource => read.isSound && isObject(read.value as Json);

export const errorAt = ({ text }: FlowText, problem: number): EditRefusal => ({
  refused: `The text has an error in line ${lineAt(text, problem)}`,
  hint: 'mend it first',
});

/** Node at the end of a path. `alias` is the first alias on the path, including its end. */
export interface FoundNode {
  node: YamlNode | null;
  /** Pair of a map whose value the node is. */
  pair?: YamlPair;
  parent?: YamlNode;
  alias?: string;
}

export function find({ contents }: FlowSource, path: Path): FoundNode | undefined {
  let node = contents;
  let pair: YamlPair | undefined;
  let parent: YamlNode | undefined;
  let alias: string | undefined;
  for (const key of path) {
    if (isAlias(node)) {
      alias ??= node.source;
      node = node.target?.node ?? null;
    }
    parent = node ?? undefined;
    pair = undefined;
    if (isMap(node)) {
      pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) return undefined;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number' && key in node.items) {
      node = node.items[key]!;
    } else return undefined;
  }
  if (isAlias(node)) alias ??= node.source;
  return { node, ...(pair && { pair }), ...(parent && { parent }), ...(alias !== undefined && { alias }) };
}

/** Value at a path of plain data. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, value);
}

/** Last anchor on a path that an alias also refers to. */
export function sharedAnchor(source: FlowSource, path: Path): string | undefined {
  const named = new Set([...nodesIn(source.contents)].map((node) => isAlias(node) && node.source));
  const anchors = path.map((_, index) => find(source, path.slice(0, index + 1))?.node?.anchor);
  return anchors.findLast((anchor) => anchor !== undefined && named.has(anchor));
}

export const startOf = ({ range }: YamlNode): number => range[0];
export const endOf = ({ range }: YamlNode): number => range[1];
/** End of a pair; for `key:` without a value, the position after the colon. */
export const endOfPair = ({ key, value }: YamlPair): number => endOf(value ?? key);

export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
/** Start of the next line, or end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;
