/**
 * The text of a flow with the places of what it says. Neighbours: `rewrite.ts` writes into it, `write-yaml.ts` knows the
 * manner it is written in.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Json, JsonObject } from '../../../core/json.ts';
import { isObject } from '../../../core/json.ts';
import { FlowReader } from '../graph/slices.ts';
import type { Refusal } from './edits.ts';

export type Path = readonly (string | number)[];

export interface FlowSource {
  text: string;
  value: JsonObject;
  /** Parsed when it is first asked for. */
  readonly document: Document;
}

/** A node of the parser; `range` is its start, the end of its characters, and the end with what follows it. */
export type Place = { range?: readonly [number, number, number] | null; anchor?: string };
export type PlacedPair = Pair<Place, Place | null>;

const OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: true, prettyErrors: true, logLevel: 'silent' } as const;
const MAX_ALIASES = 100;

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
  let document: Document | undefined;
  return {
    text,
    value: value as JsonObject,
    get document() {
      document ??= parseDocument(text, OPTIONS);
      return document;
    },
  };
}

/** All of it at once. */
export function parseText(text: string): FlowSource | Refusal {
  const document = parseDocument(text, OPTIONS);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line;
    return { refused: `The text has an error${line === undefined ? '' : ` in line ${line}`}`, hint: 'mend it first' };
  }
  try {
    const value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
    if (isObject(value)) return { text, document, value };
  } catch {
    return { refused: 'The text has aliases that lead to too much' };
  }
  return { refused: 'The text is not a map', hint: 'a flow begins with flow: NAME' };
}

/** What is found at the end of a path. `alias` is the first alias on the way, the end included. */
export interface Found {
  node: Place | null;
  /** The pair of a map that it is the value of. */
  pair?: PlacedPair;
  parent?: Place;
  alias?: string;
}

export function find({ document }: FlowSource, path: Path): Found | undefined {
  let node = document.contents as Place | null;
  let pair: PlacedPair | undefined;
  let parent: Place | undefined;
  let alias: string | undefined;
  for (const key of path) {
    if (isAlias(node)) {
      alias ??= node.source;
      node = (node as Alias).resolve(document) as Place | null;
    }
    parent = node ?? undefined;
    pair = undefined;
    if (isMap(node)) {
      pair = (node as YAMLMap).items.find((item) => isScalar(item.key) && String(item.key.value) === String(key)) as
        | PlacedPair
        | undefined;
      if (pair === undefined) return undefined;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number' && key in node.items) {
      node = node.items[key] as Place;
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
  const named = new Set<string>();
  visit(source.document, { Alias: (_, alias) => void named.add(alias.source) });
  const anchors = path.map((_, index) => find(source, path.slice(0, index + 1))?.node?.anchor);
  return anchors.findLast((anchor) => anchor !== undefined && named.has(anchor));
}

export const startOf = (node: Place): number => node.range![0];
export const endOf = (node: Place): number => node.range![1];
/** Where a pair ends; of `key:` without a value behind the colon. */
export const endOfPair = ({ key, value }: PlacedPair): number => endOf(value ?? key);

export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
/** The place behind the line's end, or the text's. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;
