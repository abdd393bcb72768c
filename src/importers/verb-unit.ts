/** A verb of a list on its way to become steps. Neighbours: `verb-list.ts`, which links them, and the importers of such lists. */
import type { SourceLocation } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import type { SentAlong } from './url-answers.ts';

/** A verb as the source has it. */
export interface SourceVerb {
  name: string;
  at: SourceLocation;
}

/** What becomes a step, or leads on: those before it lead to its entry. */
export interface Unit {
  entry(): string;
  write(next: string): void;
}

/** A node within another one that has to be written by hand. */
export interface Unwritten<V extends SourceVerb> {
  element: V;
  node: ImportedNode;
  what: string;
}

/** What makes units, as their makers outside of the list need it. */
export interface UnitMaker<V extends SourceVerb> {
  readonly flow: FlowWriter;
  /** A step with one verb; `make` gives it without its name, which is `own`. What is left to write of nodes within it stands before it. */
  unit(
    wanted: string,
    node: ImportedNode,
    make: (next: string, own: string) => JsonObject,
    within?: readonly Unwritten<V>[],
  ): Unit;
  todo(verb: V, node: ImportedNode, what: string): Unit;
  /** Where the document at a URL of the source begins; `sent`: what the source sends along, by which it may decide. */
  target(url: string | undefined, node: ImportedNode, sent?: SentAlong): string;
  nodeOf(verb: V): ImportedNode;
  /**
   * What the document at a URL says to somebody else than the caller, by the steps of `node`. Undefined where it does more
   * than that, which its nodes say, or is not among the files.
   */
  saidAt(url: string, node: ImportedNode): readonly Json[] | undefined;
}

export const inARow = (units: readonly Unit[]): Unit => ({
  entry: () => units[0]!.entry(),
  write: (next) => writeUnits(units, next),
});

/** Each leads to the one after it, the last one to `end`. */
export function writeUnits(units: readonly Unit[], end: string): void {
  for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? end);
}
