/** What the parts of the compiler hand to each other: the options, a flow on its way, the result. */
import type { Diagnostic } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';
import type { SourceDocument } from '../schema/document.ts';
import type { CompiledFlow, CompiledStep, VerbSpec } from './compiled-flow.ts';
import type { FlowSummary, StepRoutes } from './routes.ts';

/** What flows may name of the configuration. */
export interface FlowNames {
  schedules: readonly string[];
  env: readonly string[];
  /** SIP headers, in lower case, that may be read beside those that always may. */
  headers: readonly string[];
  /** Directories beside the flow's own that sound files may come from. */
  promptRoots: readonly string[];
}

/** What else a flow may name of a configuration, for checks beside one. */
export interface ConfiguredNames {
  users: readonly string[];
  numbers: readonly string[];
  /** Of routes; one that takes all numbers has an empty one. */
  prefixes: readonly string[];
  secrets: readonly string[];
}

export interface CompileOptions {
  /** Flows that `subflow` may name; absent: any name is believed. */
  knownFlows?: ReadonlyMap<string, FlowSummary>;
  /** Names of the configuration's schedules; absent: any name is believed. */
  schedules?: readonly string[];
  /** Names of `env`; absent: any name is believed. */
  env?: readonly string[];
  /** SIP headers that may be read beside those that always may; absent: any name is believed. */
  headers?: readonly string[];
  /** Directories beside the flow's own that sound files may come from. */
  promptRoots?: readonly string[];
  /** Absent: any name is believed. */
  configured?: ConfiguredNames;
  /** The moment to judge dates by; absent: they are not judged. */
  nowMs?: number;
  /** Reads a file that the flow names; undefined when it is not there. Given an absolute path inside its directory. */
  readFile?(path: string): string | undefined;
  /** Called now and then: what it throws ends the work. */
  throwIfOvertaken?(): void;
}

export interface Compilation {
  flow?: CompiledFlow;
  diagnostics: Diagnostic[];
}

/** A step on its way: what lint needs beside what is compiled. */
export interface StepDraft {
  compiled: CompiledStep;
  spec: VerbSpec;
  routes: StepRoutes;
  /** JSON pointers of the step and of its arguments. */
  pointer: string;
  argsPointer: string;
  source: JsonObject;
}

export interface FlowDraft {
  document: SourceDocument;
  root: JsonObject;
  steps: ReadonlyMap<string, StepDraft>;
  /** Names of steps of the wrong shape: they are there, and lead nobody knows where. */
  invalidSteps: ReadonlySet<string>;
  flow: CompiledFlow;
  options: CompileOptions;
}

/** All steps, those of the wrong shape included. */
export const stepNames = ({ steps, invalidSteps }: Pick<FlowDraft, 'steps' | 'invalidSteps'>): ReadonlySet<string> =>
  new Set([...steps.keys(), ...invalidSteps]);

/** Verbs whose headers and `auth` are those of HTTP, and may have secrets. */
export const SECRET_VERBS: readonly string[] = ['request', 'webhook'];

const SECRET_PLACES: readonly string[] = ['/headers', '/auth'];

/**
 * Where `secrets` is visible. Nowhere in a flow that came with a request or an answer: who sent it could have them sent
 * to himself.
 */
export const secretPlacesOf = ({ hasLines }: Pick<SourceDocument, 'hasLines'>): readonly string[] =>
  hasLines ? SECRET_PLACES : [];
