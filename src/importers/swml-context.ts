/** What methods of SWML need of the document that they stand in. Neighbours: `swml.ts` and the files of its methods. */
import type { Json } from '../core/json.ts';
import type { ImportedNode } from './imported.ts';
import type { JsonVerb } from './json-verbs.ts';
import type { SwmlNames } from './swml-names.ts';
import type { Unit, UnitMaker } from './verb-unit.ts';

export interface SwmlVerb extends JsonVerb {
  /** A list of methods in its arguments, behind these keys. */
  within(nested: Json, ...keys: (string | number)[]): SwmlVerb[];
}

export interface SwmlContext extends UnitMaker<SwmlVerb>, SwmlNames {
  readonly sounds: ReadonlySet<string>;
  plan(verbs: readonly SwmlVerb[]): Unit[];
  hasLabel(name: string): boolean;
  labelled(name: string): string;
  /** Whether a name is anywhere in the source: what nobody reads need not be kept. */
  mentions(name: string): boolean;
  /** The name of the section, or of the document, at a destination; undefined where it is not among the files. */
  sectionAt(dest: string): string | undefined;
  /** Whether a section comes back, and does not lead to itself. */
  canCall(section: string): boolean;
  /** The variable that says where a section goes back to, where several methods execute it. */
  returnVariable(section: string): string | undefined;
  entryOf(section: string): string;
  /** Where a section goes back to; known while its steps are written. */
  backFrom(section: string): string;
  /** A method that executes the section goes on at `after`; `name`: of its step, where it has one. */
  writeCall(section: string, name: string | undefined, after: string): void;
}

export type Method = (context: SwmlContext, verb: SwmlVerb, node: ImportedNode) => Unit;
