/**
 * Job types of the workbench with their input and result. A new type needs an entry here, in `LIMITS_MS`, and in the
 * handlers of `worker.ts`.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { Compilation } from '../../language/flow/compile.ts';
import type { CompileOptions, FlowNames } from '../../language/flow/flow-draft.ts';
import type { FlowSummary } from '../../language/flow/flow-summary.ts';
import type { RehearsalJob, RehearsalOutcome } from '../../service/calls/broadcast/rehearsals.ts';
import type { CheckJob, FlowCheck, WorkProgress } from '../../service/calls/flow-files/flow-check.ts';
import type { ImportJob } from '../../service/calls/flow-files/flow-import.ts';
import type { Trial, Trials } from '../../service/calls/flow-files/flow-trial.ts';

export interface WorkbenchJobs {
  check: { job: CheckJob; result: FlowCheck };
  simulate: { job: Trials['simulate']; result: Trial };
  tests: { job: Trials['tests']; result: Trial };
  replay: { job: Trials['replay']; result: Trial };
  take_over: { job: Trials['take_over']; result: Trial };
  way: { job: Trials['way']; result: Trial };
  request: { job: Trials['request']; result: Trial };
  rehearse: { job: RehearsalJob; result: RehearsalOutcome };
  import: { job: ImportJob; result: JsonObject };
}

export type JobKind = keyof WorkbenchJobs;
export type Job<Kind extends JobKind> = WorkbenchJobs[Kind]['job'];
export type JobResult<Kind extends JobKind> = WorkbenchJobs[Kind]['result'];

/** Time limits of jobs, including the start of the thread. */
export const LIMITS_MS: Readonly<Record<JobKind, number>> = {
  check: 10_000,
  simulate: 10_000,
  tests: 60_000,
  replay: 20_000,
  take_over: 10_000,
  way: 60_000,
  request: 10_000,
  rehearse: 120_000,
  import: 20_000,
};

/** Data that the thread receives at its start. */
export interface ThreadData {
  /** Number of the job that is cancelled. The thread checks it during its work. */
  overtaken: Int32Array<SharedArrayBuffer>;
}

/** Message to the thread. */
export interface JobMessage {
  /** Number of the job within the thread, from 1. */
  number: number;
  kind: JobKind;
  job: Job<JobKind>;
  /** Names that flows may reference. */
  names: FlowNames;
  /** Current time for checks of dates. */
  nowMs: number;
  /** Summaries of the deployed flows, by name. */
  knownFlows: ReadonlyMap<string, FlowSummary>;
  /** Files of the library that changed since the previous message; without `text`, the file was removed. */
  changed: readonly { file: string; text?: string }[];
}

/** Message from the thread. */
export type JobReply = { result: JobResult<JobKind> } | { problem: string } | { progress: WorkProgress };

/** Compilations of earlier jobs, by file. */
export type CompiledTexts = Map<string, { of: string; compiled: Compilation }>;

/** Resources of a job handler. */
export interface JobContext {
  /** Compile options of the service, with the summaries of the other flows. */
  compileOptions: CompileOptions;
  /** Texts of the deployed flows, by file. */
  texts: ReadonlyMap<string, string>;
  /** Cache of compilations. */
  compiled: CompiledTexts;
  /** Throws if the job was cancelled; called between its parts. */
  throwIfOvertaken(): void;
  /** Reports the progress of the job. */
  tell(done: WorkProgress): void;
}
