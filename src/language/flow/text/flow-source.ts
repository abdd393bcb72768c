/** Text of a flow with the locations of its content. `rewrite.ts` edits it; `write-yaml.ts` detects its style. */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { isObject } from '../../../base/core/json.ts';
import type { EditRefusal } from './edits.ts';
import { FlowReader } from './slices.ts';
import { isAlias, isMap, isScalar, isSeq, nodesIn, type YamlNode, type YamlPair } from './yaml/nodes.ts';
import { plainData } from './yaml/plain-data.ts';
import { readYaml } from './yaml/read-yaml.ts';

export type Path = readonly (string | number)[];

export interface FlowSource {
  text: string;
  value: JsonObject;
  /** Parsed on first access. */
  readonly contents: YamlNode | null;
}

const reader = new FlowReader();
let last: FlowSource | EditRefusal | undefined;
let lastText: string | undefined;

/**
 * Parses the text to data. Only slices that differ from the previous text are parsed, because edits follow one another.
 */
export function openText(text: string): FlowSource | EditRefusal {
  if (text !== lastText || last === undefined) {
    last = read(text);
    lastText = text;
  }
  return last;
}

function read(text: string): FlowSource | EditRefusal {
  const { value, isSound } = reader.read(text);
  if (!isSound || !isObject(value as Json)) return parseText(text);
  let contents: YamlNode | null | undefined;
  return {
    text,
    value: value as JsonObject,
    get contents() {
      contents ??= readYaml(text).contents;
      return contents;
    },
  };
}

/** Parses the whole text at once. */
export function parseText(text: string): FlowSource | EditRefusal {
  const { contents, problems } = readYaml(text);
  const problem = problems[0] ?? placeOfTwice(contents);
  if (problem !== undefined) {
    return { refused: `The text has an error in line ${lineAt(text, problem)}`, hint: 'mend it first' };
  }
  const data = plainData(contents);
  if (data === undefined) return { refused: 'The text has aliases that lead to too much' };
  if (isObject(data.value)) return { text, contents, value: data.value };
  return { refused: 'The text is not a map', hint: 'a flow begins with flow: NAME' };
}

/** Position of the first duplicate key of a map. */
function placeOfTwice(contents: YamlNode | null): number | undefined {
  for (const node of nodesIn(contents)) {
    if (!isMap(node)) continue;
    const known = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      if (known.has(key.value)) return key.range[0];
      known.add(key.value);
    }
  }
  return undefined;
}

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
