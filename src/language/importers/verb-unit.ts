/**
 * Intermediate form of a verb between source and steps. Used by `verb-list.ts`, which links the units, and by the
 * importers of verb lists.
 */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { Account } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import type { SentAlong } from './url-answers.ts';

/** A verb in the source. */
export interface SourceVerb {
  name: string;
  at: SourceLocation;
  /** Account of its keys. Absent for a part that belongs to another verb. */
  account?: Account;
}

/**
 * One or more steps, or only a link. The preceding unit is routed to `entry()`; `write` adds the steps and routes the
 * last one to `next`.
 */
export interface Unit {
  entry(): string;
  write(next: string): void;
}

/** Nested node that must be written by hand. */
export interface Unwritten<V extends SourceVerb> {
  element: V;
  node: ImportedNode;
  what: string;
}

/** Part of `VerbList` that converters in other files use. */
export interface UnitMaker<V extends SourceVerb> {
  readonly flow: FlowWriter;
  /**
   * Creates a step with one verb. `make` returns its definition; `own` is its name. `todo` steps for the nodes in
   * `within` come before it.
   */
  unit(
    wanted: string,
    node: ImportedNode,
    make: (next: string, own: string) => JsonObject,
    within?: readonly Unwritten<V>[],
  ): Unit;
  todo(verb: V, node: ImportedNode, what: string): Unit;
  /**
   * First step of the document at a URL. `sent`: request parameters, on which the response may depend. `next`: step after
   * the `todo` for a document that is not among the files.
   */
  target(url: string | undefined, node: ImportedNode, sent?: SentAlong, next?: string): string;
  nodeOf(verb: V): ImportedNode;
  /**
   * Prompts of a document for another party than the caller. The steps of `node` play them. Undefined if the document
   * is not among the files or does more than play prompts; in the latter case its nodes get a note.
   */
  saidAt(url: string, node: ImportedNode): readonly Json[] | undefined;
}

export const inARow = (units: readonly Unit[]): Unit => ({
  entry: () => units[0]!.entry(),
  write: (next) => writeUnits(units, next),
});

/** Writes the units. Each is routed to the next one, the last one to `end`. */
export function writeUnits(units: readonly Unit[], end: string): void {
  for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? end);
}
