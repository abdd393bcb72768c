/** The report of an import: a node for each of the source, exact until an importer says what is different. */
import type { SourceLocation } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';
import { textOf } from './flow-writer.ts';
import type { Fidelity, ImportedNode } from './imported.ts';

const RANK: readonly Fidelity[] = ['none', 'exact', 'workaround', 'todo'];

export class FidelityReport {
  readonly nodes: ImportedNode[] = [];

  node(kind: string, { file, line, column }: SourceLocation, name?: string): ImportedNode {
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

/** Has no meaning on a call. */
export const ignored = (node: ImportedNode, note: string): void => {
  node.fidelity = 'none';
  node.notes.push(note);
};

/** The arguments of a step that has to be written; the node says so. */
export function todoOf(node: ImportedNode, what: string, more: JsonObject = {}): JsonObject {
  lower(node, 'todo', what);
  const short = textOf(what.slice(0, LONGEST_TODO));
  return Object.keys(more).length === 0 ? { todo: short } : { todo: { what: short, ...more } };
}

const LONGEST_TODO = 900;

/** Something about a node has no counterpart: the whole of it has to be written. */
export class Untranslated extends Error {}

export function untranslated(what: string): never {
  throw new Untranslated(what);
}
