/**
 * What the workbench does, by kind: what it is given, and what it makes. A new kind is an entry here, in `LIMITS_MS`, and in
 * the handlers of `worker.ts`.
 */
import type { RehearsalJob, RehearsalOutcome } from '../calls/broadcast/rehearsals.ts';
import type { CheckJob, FlowCheck, WorkProgress } from '../calls/flow-files/flow-check.ts';
import type { Trial, Trials } from '../calls/flow-files/flow-trial.ts';
import type { Compilation } from '../flow/compile.ts';
import type { CompileOptions, FlowNames } from '../flow/flow-draft.ts';
import type { FlowSummary } from '../flow/routes.ts';

export interface WorkbenchJobs {
  check: { job: CheckJob; result: FlowCheck };
  simulate: { job: Trials['simulate']; result: Trial };
  tests: { job: Trials['tests']; result: Trial };
  replay: { job: Trials['replay']; result: Trial };
  take_over: { job: Trials['take_over']; result: Trial };
  way: { job: Trials['way']; result: Trial };
  rehearse: { job: RehearsalJob; result: RehearsalOutcome };
}

export type JobKind = keyof WorkbenchJobs;
export type Job<Kind extends JobKind> = WorkbenchJobs[Kind]['job'];
export type JobResult<Kind extends JobKind> = WorkbenchJobs[Kind]['result'];

/** How long a job may take: the start of the thread included. */
export const LIMITS_MS: Readonly<Record<JobKind, number>> = {
  check: 10_000,
  simulate: 10_000,
  tests: 60_000,
  replay: 20_000,
  take_over: 10_000,
  way: 60_000,
  rehearse: 120_000,
};

/** Of the thread, from its start. */
export interface ThreadData {
  /** One number: the job that is not wanted any more. The thread looks at it while it works. */
  overtaken: Int32Array<SharedArrayBuffer>;
}

/** To the thread. */
export interface JobMessage {
  /** Counts the jobs of the thread, from 1. */
  number: number;
  kind: JobKind;
  job: Job<JobKind>;
  /** What flows may name. */
  names: FlowNames;
  /** The moment to judge dates by. */
  nowMs: number;
  /** What flows know of each other, by name. */
  knownFlows: ReadonlyMap<string, FlowSummary>;
  /** Files of the library whose text is another than in the message before; without a text it is gone. */
  changed: readonly { file: string; text?: string }[];
}

/** From the thread. */
export type JobReply = { result: JobResult<JobKind> } | { problem: string } | { progress: WorkProgress };

/** Compilations of earlier jobs, by file. */
export type CompiledTexts = Map<string, { of: string; compiled: Compilation }>;

/** What handlers may use beside their job. */
export interface Bench {
  /** As the service compiles flows, neighbours in sight. */
  compileOptions: CompileOptions;
  /** The texts in force, by file. */
  texts: ReadonlyMap<string, string>;
  /** What was compiled before. */
  compiled: CompiledTexts;
  /** Throws when nobody waits for the job any more: called between its parts. */
  throwIfOvertaken(): void;
  /** Says how far the job is. */
  tell(done: WorkProgress): void;
}
