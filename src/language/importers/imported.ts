/**
 * Result of an import: the flows, and the outcome for each node of the source, so that every loss is reported. An
 * importer reads one format; `import-files.ts` detects which.
 */
import type { Diagnostic, SourceLocation } from '../../base/core/diagnostic.ts';

/** Formats that can be imported, with their display names. */
export const FORMATS = {
  twiml: 'TwiML',
  'twilio-studio': 'Twilio Studio',
  'amazon-connect': 'Amazon Connect',
  ncco: 'NCCO (Vonage)',
  jambonz: 'jambonz',
  swml: 'SWML (SignalWire)',
  voicexml: 'VoiceXML',
} as const;

export type Format = keyof typeof FORMATS;

/** A source file. */
export interface SourceFile {
  /** Name of the file, as shown to users. */
  file: string;
  text: string;
}

/**
 * Fidelity of a conversion. `exact`: the flow does the same as the source. `workaround`: nearly the same; a note has
 * the difference. `todo`: a step must be written by hand. `none`: the node has no meaning in a call, such as a position
 * in a drawing.
 */
export type Fidelity = 'exact' | 'workaround' | 'todo' | 'none';

/** Conversion of one node of the source: a verb, a widget or a block. */
export interface ImportedNode extends SourceLocation {
  /** Type in the source, such as `Gather`. */
  kind: string;
  /** Name in the source, in formats that name their nodes. */
  name?: string;
  fidelity: Fidelity;
  /** Steps created for this node. */
  steps: string[];
  /** Differences and remaining work, one note for each. */
  notes: string[];
}

export interface ImportedFlow {
  name: string;
  /** YAML. */
  text: string;
}

export interface LimitedFlow extends ImportedFlow {
  /** Notes on what the limits of the language changed, by step. */
  limited: ReadonlyMap<string, readonly string[]>;
}

export interface Imported {
  format: Format;
  flows: LimitedFlow[];
  nodes: ImportedNode[];
  /** Problems in the source files. With an error there, no flow is written. Warnings name the keys not imported. */
  diagnostics: Diagnostic[];
}

export interface ImportOptions {
  /** Name of the flow. Default: name of the first file. */
  name?: string | undefined;
  /**
   * Folder for the flow. Sounds of the source are played from its `prompts` folder if a file there has the same name.
   */
  folder?: string;
}
