/** What a check of a flow's text finds, and the port by which use cases have one made off the call path. */
import type { Diagnostic } from '../../core/diagnostic.ts';

export interface FlowCheck {
  diagnostics: readonly Diagnostic[];
  /** By the text. */
  name?: string;
  /** The version that it is; absent while it has errors. */
  hash?: string;
  /** Of each step where its outcomes lead; absent while it has errors. */
  exits?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface WorkOptions {
  /** A newer piece of work of the same session takes the place of an older one, which fails with `superseded`. */
  session?: string;
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal;
  /** Told how far a long piece of work is. */
  progress?(done: WorkProgress): void;
}

export interface WorkProgress {
  numbers: number;
  calls: number;
}

export interface CheckJob {
  /** Where the text is, or would be, saved. */
  file: string;
  text: string;
  /** The flow that it has to be; absent: any. */
  name?: string;
}

export type CheckFlow = (job: CheckJob, options?: WorkOptions) => Promise<FlowCheck>;
