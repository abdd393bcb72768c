/**
 * Import report: one entry for each node of the source. A node counts as exact until the importer lowers its fidelity.
 */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { textOf } from './flow-writer.ts';
import type { Fidelity, ImportedNode } from './imported.ts';

const RANK: readonly Fidelity[] = ['none', 'exact', 'workaround', 'todo'];

/** Maximum number of nodes in one import. More steps would exceed the size limit of a flow. */
export const MAX_NODES = 5000;

/** Thrown if the source has too many nodes. `at` is the location of the first excess node. */
export class TooManyNodes extends Error {
  readonly at: SourceLocation;

  constructor(at: SourceLocation) {
    super(`the source has more than ${MAX_NODES} nodes`);
    this.at = at;
  }
}

export class FidelityReport {
  readonly nodes: ImportedNode[] = [];

  /** Adds a node. Throws `TooManyNodes`: importers report all nodes of a document before they write its steps. */
  node(kind: string, { file, line, column }: SourceLocation, name?: string): ImportedNode {
    if (this.nodes.length >= MAX_NODES) throw new TooManyNodes({ file, line, column });
    const node: ImportedNode = { file, line, column, kind, fidelity: 'exact', steps: [], notes: [] };
    if (name !== undefined) node.name = name;
    this.nodes.push(node);
    return node;
  }
}

/** Lowers the fidelity of a node; never raises it. */
function lower(node: ImportedNode, to: Fidelity, note: string): void {
  if (RANK.indexOf(to) > RANK.indexOf(node.fidelity)) node.fidelity = to;
  if (!node.notes.includes(note)) node.notes.push(note);
}

/** The step does nearly the same as the node. */
export const worked = (node: ImportedNode, note: string): void => lower(node, 'workaround', note);

/** The step is exact, but needs a note, such as a name that the configuration must define. */
export function noted(node: ImportedNode, note: string): void {
  if (!node.notes.includes(note)) node.notes.push(note);
}

/** The node has no meaning in a call. */
export const ignored = (node: ImportedNode, note: string): void => {
  node.fidelity = 'none';
  node.notes.push(note);
};

/** Arguments of a `todo` step for something that must be written by hand. Also marks the node. */
export function todoOf(node: ImportedNode, what: string, more: JsonObject = {}): JsonObject {
  lower(node, 'todo', what);
  const short = textOf(what.slice(0, MAX_TODO));
  if (Object.keys(more).length === 0) return { todo: short };
  const { source } = more;
  return { todo: { what: short, ...more, ...(source !== undefined && { source: excerptOf(source) }) } };
}

const MAX_TODO = 900;
const MAX_SOURCE = 600;
const MAX_TEXT = 200;
/** Size counted for each value in addition to its text: a line break and indentation. */
const EACH = 10;
const LEFT_OUT = '…';

/** Excerpt of a node, enough to recognise it. The report has its location for the rest. */
function excerptOf(source: Json): Json {
  let left = MAX_SOURCE;
  const part = (value: Json): Json => {
    if (typeof value === 'string') {
      const most = Math.max(0, Math.min(left, typeof source === 'string' ? MAX_SOURCE : MAX_TEXT));
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

/** Thrown if any part of a node has no counterpart: the whole node becomes a `todo`. */
export class Untranslated extends Error {}

export function untranslated(what: string): never {
  throw new Untranslated(what);
}
