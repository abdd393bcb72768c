/** A flow as the API shows it: its file, and the version that calls use. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';

/**
 * Version used by calls under the name of this file's flow: this text, an earlier text of the file, or another file.
 */
export type CallsTake = 'file' | 'earlier' | 'other' | 'nothing';

export interface ShownFlow {
  name: string;
  /** Relative to the directory of flows. */
  file: string;
  etag: string;
  text: string;
  isBuiltIn: boolean;
  /** True if calls use the text of the file. */
  isInForce: boolean;
  callsTake: CallsTake;
  /** Version that calls use. */
  hash?: string;
  /** Number of that version. Undefined if it is not kept. */
  versionNumber?: number;
  diagnostics: readonly Diagnostic[];
}

/** `before`: etag of the replaced text. */
export interface SavedFlow {
  saved: ShownFlow;
  before?: string;
}
