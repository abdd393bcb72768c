/**
 * What importers make: flows, and what became of each node of the source, so that nothing is lost in silence. An importer
 * knows one foreign format; `import-files.ts` finds out which.
 */
import type { Diagnostic, SourceLocation } from '../core/diagnostic.ts';

export type Format = 'twiml' | 'twilio-studio' | 'amazon-connect' | 'ncco' | 'jambonz' | 'swml' | 'voicexml';

/** A foreign file, as it was read. */
export interface Source {
  /** As it is shown. */
  file: string;
  text: string;
}

/**
 * `exact`: the flow does what the source does. `workaround`: nearly so; the note says what is different. `todo`: a step
 * that has to be written. `none`: has no meaning on a call, such as where a node stands in a drawing.
 */
export type Fidelity = 'exact' | 'workaround' | 'todo' | 'none';

/** What became of one node of the source: a verb, a widget, a block. */
export interface ImportedNode extends SourceLocation {
  /** The word that the source has for it, such as `Gather`. */
  kind: string;
  /** Its name in the source, where nodes have one. */
  name?: string;
  fidelity: Fidelity;
  /** The steps that it became. */
  steps: string[];
  /** What is different, or what is to be written; one for each. */
  notes: string[];
}

export interface ImportedFlow {
  name: string;
  /** YAML. */
  text: string;
}

export interface Imported {
  format: Format;
  flows: ImportedFlow[];
  nodes: ImportedNode[];
  /** What is wrong with the source itself; with an error there are no flows. */
  diagnostics: Diagnostic[];
}

/** What an importer is given. */
export interface ImportContext extends ImportOptions {
  /** Sound files that are there. */
  sounds: ReadonlySet<string>;
}

export interface ImportOptions {
  /** The name of the flow; default: that of the first file. */
  name?: string | undefined;
  /** Where the flow will be: sounds of the source are played from `prompts` there, where they have the same name. */
  folder?: string;
}
