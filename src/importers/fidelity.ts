/** The report of an import: a node for each of the source, exact until an importer says what is different. */
import type { SourceLocation } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { textOf } from './flow-writer.ts';
import type { Fidelity, ImportedNode } from './imported.ts';

const RANK: readonly Fidelity[] = ['none', 'exact', 'workaround', 'todo'];

/** Nodes of one import; a flow of more steps would be larger than a flow may be. */
export const MOST_NODES = 5000;

/** The source has more nodes than are imported; `at` is the first of them. */
export class TooManyNodes extends Error {
  readonly at: SourceLocation;

  constructor(at: SourceLocation) {
    super(`the source has more than ${MOST_NODES} nodes`);
    this.at = at;
  }
}

export class FidelityReport {
  readonly nodes: ImportedNode[] = [];

  /** Throws `TooManyNodes`: importers report all nodes of a document before they write its steps. */
  node(kind: string, { file, line, column }: SourceLocation, name?: string): ImportedNode {
    if (this.nodes.length >= MOST_NODES) throw new TooManyNodes({ file, line, column });
    const node: ImportedNode = { file, line, column, kind, fidelity: 'exact', steps: [], notes: [] };
    if (name !== undefined) node.name = name;
    this.nodes.push(node);
    return node;
  }
}

/** It is at best this. */
function lower(node: ImportedNode, to: Fidelity, note: string): void {
  if (RANK.indexOf(to) > RANK.indexOf(node.fidelity)) node.fidelity = to;
  if (!node.notes.includes(note)) node.notes.push(note);
}

/** Nearly what the source does. */
export const worked = (node: ImportedNode, note: string): void => lower(node, 'workaround', note);

/** Does what the source does; this is worth knowing, such as a name that the configuration has to have. */
export function noted(node: ImportedNode, note: string): void {
  if (!node.notes.includes(note)) node.notes.push(note);
}

/** Has no meaning on a call. */
export const ignored = (node: ImportedNode, note: string): void => {
  node.fidelity = 'none';
  node.notes.push(note);
};

/** The arguments of a step that has to be written; the node says so. */
export function todoOf(node: ImportedNode, what: string, more: JsonObject = {}): JsonObject {
  lower(node, 'todo', what);
  const short = textOf(what.slice(0, LONGEST_TODO));
  if (Object.keys(more).length === 0) return { todo: short };
  const { source } = more;
  return { todo: { what: short, ...more, ...(source !== undefined && { source: excerptOf(source) }) } };
}

const LONGEST_TODO = 900;
const LONGEST_SOURCE = 600;
const LONGEST_TEXT = 200;
/** A line of its own, with its indentation. */
const EACH = 10;
const LEFT_OUT = '…';

/** As much of a node as its reader looks at before opening the source, at the place that the report names. */
function excerptOf(source: Json): Json {
  let left = LONGEST_SOURCE;
  const part = (value: Json): Json => {
    if (typeof value === 'string') {
      const most = Math.max(0, Math.min(left, typeof source === 'string' ? LONGEST_SOURCE : LONGEST_TEXT));
      left -= Math.min(value.length, most) + EACH;
      return value.length > most ? `${value.slice(0, most).replace(/[\uD800-\uDBFF$]+$/, '')}${LEFT_OUT}` : value;
    }
    left -= EACH;
    if (Array.isArray(value)) {
      const made: Json[] = [];
      for (const item of value) {
        if (left <= 0) return [...made, LEFT_OUT];
        made.push(part(item));
      }
      return made;
    }
    if (!isObject(value)) return value;
    const made: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (left <= 0) return { ...made, [LEFT_OUT]: LEFT_OUT };
      left -= key.length;
      made[key] = part(item);
    }
    return made;
  };
  return part(source);
}

/** Something about a node has no counterpart: the whole of it has to be written. */
export class Untranslated extends Error {}

export function untranslated(what: string): never {
  throw new Untranslated(what);
}
