/** Interface between the converters of SWML methods and their document (`swml.ts`). */
import type { Json } from '../../base/core/json.ts';
import type { ImportedNode } from './imported.ts';
import type { JsonVerb } from './json-verbs.ts';
import type { SwmlNames } from './swml-names.ts';
import type { Unit, UnitMaker } from './verb-unit.ts';

export interface SwmlVerb extends JsonVerb {
  /** List of methods nested in the arguments under these keys. */
  within(nested: Json, ...keys: (string | number)[]): SwmlVerb[];
}

export interface SwmlContext extends UnitMaker<SwmlVerb>, SwmlNames {
  readonly sounds: ReadonlySet<string>;
  plan(verbs: readonly SwmlVerb[]): Unit[];
  hasLabel(name: string): boolean;
  labelled(name: string): string;
  /** True if the source contains the name anywhere. Values that are never read need no variable. */
  mentions(name: string): boolean;
  /** Name of the section or document at a destination. Undefined if it is not among the files. */
  sectionAt(dest: string): string | undefined;
  /** True if the section returns and does not lead to itself. */
  canCall(section: string): boolean;
  /** Variable that holds the return target of a section with several callers. */
  returnVariable(section: string): string | undefined;
  entryOf(section: string): string;
  /** Step to which a section returns. Known while its steps are written. */
  backFrom(section: string): string;
  /** Writes a call of a section that continues at `after`. `name`: name of the calling step, if there is one. */
  writeCall(section: string, name: string | undefined, after: string): void;
}

export type Method = (context: SwmlContext, verb: SwmlVerb, node: ImportedNode) => Unit | undefined;
