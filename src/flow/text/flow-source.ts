/**
 * The text of a flow with the places of what it says. Neighbours: `rewrite.ts` writes into it, `write-yaml.ts` knows the
 * manner it is written in.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { Refusal } from './edits.ts';
import { FlowReader } from './slices.ts';
import { isAlias, isMap, isScalar, isSeq, nodesIn, type YamlNode, type YamlPair } from './yaml/nodes.ts';
import { plainData } from './yaml/plain-data.ts';
import { readYaml } from './yaml/read-yaml.ts';

export type Path = readonly (string | number)[];

export interface FlowSource {
  text: string;
  value: JsonObject;
  /** Read when it is first asked for. */
  readonly contents: YamlNode | null;
}

const reader = new FlowReader();
let last: FlowSource | Refusal | undefined;
let lastText: string | undefined;

/** The text as data. Edits follow one another: of the next text only the slices that differ from this one are parsed. */
export function openText(text: string): FlowSource | Refusal {
  if (text !== lastText || last === undefined) {
    last = read(text);
    lastText = text;
  }
  return last;
}

function read(text: string): FlowSource | Refusal {
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

/** All of it at once. */
export function parseText(text: string): FlowSource | Refusal {
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

/** Where a key stands for the second time in its map. */
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

/** What is found at the end of a path. `alias` is the first alias on the way, the end included. */
export interface Found {
  node: YamlNode | null;
  /** The pair of a map that it is the value of. */
  pair?: YamlPair;
  parent?: YamlNode;
  alias?: string;
}

export function find({ contents }: FlowSource, path: Path): Found | undefined {
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

/** The value at a path of plain data. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, value);
}

/** The last anchor on the way to a place that an alias names, too. */
export function sharedAnchor(source: FlowSource, path: Path): string | undefined {
  const named = new Set([...nodesIn(source.contents)].map((node) => isAlias(node) && node.source));
  const anchors = path.map((_, index) => find(source, path.slice(0, index + 1))?.node?.anchor);
  return anchors.findLast((anchor) => anchor !== undefined && named.has(anchor));
}

export const startOf = ({ range }: YamlNode): number => range[0];
export const endOf = ({ range }: YamlNode): number => range[1];
/** Where a pair ends; of `key:` without a value behind the colon. */
export const endOfPair = ({ key, value }: YamlPair): number => endOf(value ?? key);

export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
/** The place behind the line's end, or the text's. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;
