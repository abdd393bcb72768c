/** Result of checking a flow's text, and the port through which use cases run a check off the call path. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';

export interface FlowCheck {
  diagnostics: readonly Diagnostic[];
  /** Name given in the text. */
  name?: string;
  /** Hash of the version; absent while it has errors. */
  hash?: string;
  /** Target of each outcome, by step; absent while it has errors. */
  exits?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface WorkOptions {
  /** A newer job of the same session replaces an older one, which fails with `superseded`. */
  session?: string;
  /** Aborted when the result is no longer needed. */
  signal?: AbortSignal;
  /** Receives the progress of a long job. */
  progress?(done: WorkProgress): void;
}

export interface WorkProgress {
  numbers: number;
  calls: number;
}

export interface CheckJob {
  /** File in which the text is, or would be, saved. */
  file: string;
  text: string;
  /** Required name of the flow; absent: any. */
  name?: string;
  /** Texts of other files that are, or would be, saved at the same time. */
  beside?: readonly { file: string; text: string }[];
}

export type CheckFlow = (job: CheckJob, options?: WorkOptions) => Promise<FlowCheck>;
