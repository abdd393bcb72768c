/** Nodes of a YAML text, with their ranges. `read-yaml.ts` builds them; `text/` edits texts by them. */

/** Start of a node, and end of its characters. */
export type NodeRange = readonly [from: number, to: number];

interface Placed {
  range: NodeRange;
  anchor?: string;
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface YamlScalar extends Placed {
  kind: 'scalar';
  value: string | number | boolean | null;
  style: ScalarStyle;
}

export interface YamlPair {
  key: YamlNode;
  /** Null if the key has no colon: `{ key }`. */
  value: YamlNode | null;
}

export interface YamlMap extends Placed {
  kind: 'map';
  items: YamlPair[];
  /** True if it is written in braces. */
  flow: boolean;
}

export interface YamlSeq extends Placed {
  kind: 'seq';
  items: YamlNode[];
  /** True if it is written in brackets. */
  flow: boolean;
}

/** Node of an anchor; `node` is undefined while that node is still being read. */
export interface Anchored {
  node?: YamlNode;
}

export interface YamlAlias extends Placed {
  kind: 'alias';
  source: string;
  target?: Anchored;
}

export type YamlNode = YamlScalar | YamlMap | YamlSeq | YamlAlias;
type Maybe = YamlNode | null | undefined;

export const isScalar = (node: Maybe): node is YamlScalar => node?.kind === 'scalar';
export const isMap = (node: Maybe): node is YamlMap => node?.kind === 'map';
export const isSeq = (node: Maybe): node is YamlSeq => node?.kind === 'seq';
export const isAlias = (node: Maybe): node is YamlAlias => node?.kind === 'alias';

/** The node and all its descendants. */
export function* nodesIn(node: YamlNode | null): Generator<YamlNode> {
  if (node === null) return;
  yield node;
  if (isSeq(node)) for (const item of node.items) yield* nodesIn(item);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    yield* nodesIn(key);
    yield* nodesIn(value);
  }
}

/** The node at other offsets. It must not contain aliases, because their targets are not moved. */
export function movedNode(node: YamlNode, by: number): YamlNode {
  if (by === 0) return node;
  const range = [node.range[0] + by, node.range[1] + by] as const;
  const inner = (part: YamlNode): YamlNode => movedNode(part, by);
  if (isSeq(node)) return { ...node, range, items: node.items.map(inner) };
  if (!isMap(node)) return { ...node, range };
  const items = node.items.map(({ key, value }) => ({ key: inner(key), value: value && inner(value) }));
  return { ...node, range, items };
}
