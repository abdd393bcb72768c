/**
 * Import report: one entry for each node of the source. A node counts as exact until the importer lowers its fidelity,
 * or until `settle` finds keys of it that nothing has read.
 */
import { type Diagnostic, quoting, type SourceLocation } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { textOf } from './flow-writer.ts';
import type { Fidelity, ImportedNode } from './imported.ts';
import { passOver, unreadIn, unviewed } from './source-views.ts';

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

/** View of the part of a source that a node converts. `placeOf` returns the location of a key in it. */
export interface Account {
  view: object;
  placeOf(path: readonly string[]): SourceLocation;
}

interface Accounted extends Account {
  /** Absent for keys of the document itself. */
  node?: ImportedNode;
  kind: string;
}

export class FidelityReport {
  readonly nodes: ImportedNode[] = [];
  /** Keys that nothing has read. Filled in by `settle`. */
  readonly unread: Diagnostic[] = [];
  /** Location of the node that is being converted. */
  at: SourceLocation | undefined;
  readonly #accounts = new Map<object, Accounted>();
  readonly #left: { of: ImportedNode | string; name: string; at: SourceLocation }[] = [];

  /** Adds a node. Throws `TooManyNodes`: importers report all nodes of a document before they write its steps. */
  node(kind: string, { file, line, column }: SourceLocation, name?: string, account?: Account): ImportedNode {
    if (this.nodes.length >= MAX_NODES) throw new TooManyNodes({ file, line, column });
    const node: ImportedNode = { file, line, column, kind, fidelity: 'exact', steps: [], notes: [] };
    if (name !== undefined) node.name = name;
    this.nodes.push(node);
    this.at = node;
    this.part(node, name === undefined ? kind : `${kind} ${name}`, account);
    return node;
  }

  /** Accounts for the keys of a document outside of its nodes. `kind` names the document in messages. */
  document(kind: string, account: Account): void {
    this.#accounts.set(account.view, { ...account, kind });
  }

  /** Accounts for the keys of a part of a node. `kind` names the part in messages. */
  part(node: ImportedNode, kind: string, account: Account | undefined): void {
    if (account !== undefined && !this.#accounts.has(account.view)) {
      this.#accounts.set(account.view, { ...account, node, kind });
    }
  }

  /** Reports a part of a node, or of a document of this kind, that nothing has converted. */
  leave(of: ImportedNode | string, name: string, { file, line, column }: SourceLocation): void {
    this.#left.push({ of, name, at: { file, line, column } });
  }

  /** Notes that the limits of the language changed a step. */
  limit(step: string, notes: readonly string[]): void {
    for (const node of this.nodes) if (node.steps.includes(step)) for (const note of notes) worked(node, note);
  }

  /**
   * Reports the keys that nothing has read. Call it when all steps are written. The source of a `todo` is in the flow,
   * and a note says why a node has no meaning in a call, so that their keys are not reported.
   */
  settle(): Diagnostic[] {
    const isElsewhere = (view: object): boolean => this.#accounts.has(view);
    const names = new Map<ImportedNode, string[]>();
    const tell = (at: SourceLocation, name: string, kind: string, node?: ImportedNode): void => {
      const message = quoting`${name} of ${kind.slice(0, MAX_KEY)} is not imported`;
      const hint = 'Add its effect to the flow by hand if calls need it.';
      this.unread.push({ severity: 'warning', code: 'not-imported', message, ...at, hint });
      if (node === undefined) return;
      const own = names.get(node);
      if (own === undefined) names.set(node, [name]);
      else own.push(name);
    };
    const isCovered = (node?: ImportedNode): boolean => node?.fidelity === 'todo' || node?.fidelity === 'none';
    for (const { view, placeOf, node, kind } of this.#accounts.values()) {
      if (isCovered(node)) continue;
      for (const path of unreadIn(view, isElsewhere)) tell(placeOf(path), path.join('.').slice(0, MAX_KEY), kind, node);
    }
    for (const { of, name, at } of this.#left) {
      if (typeof of === 'string') tell(at, name, of);
      else if (!isCovered(of)) tell(at, name, of.kind, of);
    }
    for (const [node, own] of names) lower(node, 'workaround', noteOf(own));
    return this.unread;
  }
}

const MAX_KEY = 100;
const MAX_NAMED = 20;

const noteOf = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${quoting`${names.slice(0, MAX_NAMED)}`}${more} ${names.length === 1 ? 'is' : 'are'} not imported`;
};

/** True for the note about keys that nothing has read. Each key has a diagnostic of its own. */
export const isAboutKeys = (note: string): boolean => /^`.* not imported$/s.test(note);

/** Lowers the fidelity of a node; never raises it. */
function lower(node: ImportedNode, to: Fidelity, note: string): void {
  if (RANK.indexOf(to) > RANK.indexOf(node.fidelity)) node.fidelity = to;
  if (!node.notes.includes(note)) node.notes.push(note);
}

/** The step does nearly the same as the node. */
export const worked = (node: ImportedNode, note: string): void => lower(node, 'workaround', note);

/** The key has no counterpart: its effect is lost if it is given. */
export function lost(node: ImportedNode, view: object, key: string, note: string): void {
  const value = (unviewed(view) as JsonObject)[key];
  if (value === undefined || value === null) return;
  passOver(view, [key]);
  worked(node, note);
}

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
/** Characters of a source in a `todo`. Longer sources are cut, and say so. */
const MAX_SOURCE = 4000;
/**
 * Brackets in the texts of a source that do not close, and characters of a source with more of them: the reader of flows
 * counts brackets, also those in texts.
 */
const MAX_OPENINGS = 20;
const MAX_UNBALANCED = 600;
const openingsIn = (source: Json): number => {
  const brackets = JSON.stringify(source).match(/[[\]{}]/g) ?? [];
  return brackets.reduce((depth, bracket) => depth + (/[[{]/.test(bracket) ? 1 : -1), 0);
};

/** Nesting of a source in a `todo`. A flow cannot be nested as deeply as its source. */
const MAX_DEPTH = 20;
/** Size counted for each value in addition to its text: a line break and indentation. */
const EACH = 10;
const LEFT_OUT = '…';
const cutMark = (count: number, what: string): string => `${LEFT_OUT} (${count} more ${what} in the source)`;

/** Source of a node, cut where it is long. The report has its location for the rest. */
function excerptOf(source: Json): Json {
  let left = openingsIn(source) > MAX_OPENINGS ? MAX_UNBALANCED : MAX_SOURCE;
  const part = (value: Json, depth = 0): Json => {
    if (typeof value === 'string') {
      const most = Math.max(0, left);
      left -= Math.min(value.length, most) + EACH;
      if (value.length <= most) return value;
      const kept = value.slice(0, most).replace(/[\uD800-\uDBFF$]+$/, '');
      return `${kept}${cutMark(value.length - kept.length, 'characters')}`;
    }
    left -= EACH;
    if (depth > MAX_DEPTH && typeof value === 'object' && value !== null) {
      return cutMark(Object.keys(value).length, 'values');
    }
    if (Array.isArray(value)) {
      const made: Json[] = [];
      for (const item of value) {
        if (left <= 0) return [...made, cutMark(value.length - made.length, 'values')];
        made.push(part(item, depth + 1));
      }
      return made;
    }
    if (!isObject(value)) return value;
    const made: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (left <= 0) {
        const more = Object.keys(value).length - Object.keys(made).length;
        return { ...made, [LEFT_OUT]: cutMark(more, 'keys') };
      }
      left -= key.length;
      made[key] = part(item, depth + 1);
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
