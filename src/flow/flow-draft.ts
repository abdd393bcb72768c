/** What the parts of the compiler hand to each other: the options, a flow on its way, the result. */
import type { Diagnostic } from '../core/diagnostic.ts';
import { isObject, type JsonObject } from '../core/json.ts';
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
  /** Providers of messages. */
  messages?: readonly string[];
  /** AI agents. */
  assistants?: readonly string[];
  /** Names of voices of the engines, alone and with those of their engines. */
  voices?: readonly string[];
  /** Providers of card payments. */
  payments?: readonly string[];
}

export interface CompileOptions {
  /** Flows that `subflow` may name; absent: any name is believed. */
  knownFlows?: ReadonlyMap<string, FlowSummary>;
  /** Other names are believed as well. */
  believesFlows?: boolean;
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
  /** The clock to judge dates by; absent: they are not judged. */
  now?(): number;
  /** Reads a file that the flow names; undefined when it is not there. Given an absolute path inside its directory. */
  readFile?(path: string): string | undefined;
  /** Steps `todo` are still named as errors, but the flow is there, to try the rest of it. */
  withTodos?: boolean;
  /** Called now and then: what it throws ends the work. */
  throwIfOvertaken?(): void;
}

export interface Compilation {
  flow?: CompiledFlow;
  /** Those under `flows` of its document. */
  locals?: readonly CompiledFlow[];
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
export const SECRET_VERBS: readonly string[] = ['request', 'webhook', 'assistant'];

/** Their arguments that hold a URL. */
export const URL_KEYS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'url'];

/** Of the verbs themselves, and of the requests that an agent may have made. */
const SECRET_PLACES: readonly string[] = ['/headers', '/auth', '/lookups/*/request/headers', '/lookups/*/request/auth'];

/**
 * Where `secrets` is visible. Nowhere in a flow that came with a request or an answer: who sent it could have them sent
 * to himself.
 */
export const secretPlacesOf = ({ hasLines }: Pick<SourceDocument, 'hasLines'>): readonly string[] =>
  hasLines ? SECRET_PLACES : [];

// --- what several checks ask of a step --------------------------------------------------------------------------------------

/** The variables that a step assigns, as written, and where. */
export function assignmentsOf({ source, spec, pointer, argsPointer }: StepDraft): { values: JsonObject; at: string } {
  const written = source['set'];
  return { values: isObject(written) ? written : {}, at: spec.verb === 'set' ? argsPointer : `${pointer}/set` };
}

/** The caller hears something of this flow while the step runs. */
export const isHeard = ({ spec, compiled: { args } }: StepDraft): boolean =>
  spec.media === true || (isObject(args) && args['meanwhile'] !== undefined);

/** An application that may name any step. */
export const mayGoto = ({ compiled: { args } }: StepDraft): boolean =>
  isObject(args) && Array.isArray(args['may']) && args['may'].includes('goto');

/** What a `recording`, `stream` or `transcribe` step does, in its short form or its long one. */
export function actionOf({ compiled: { args } }: StepDraft): string {
  const action = isObject(args) ? args['action'] : args;
  return typeof action === 'string' ? action : '';
}

/** Targets by every outcome but these. */
export const targetsBut = ({ compiled }: StepDraft, ...outcomes: string[]): string[] =>
  Object.entries(compiled.exits).flatMap(([outcome, target]) => (outcomes.includes(outcome) ? [] : [target]));

/** Steps by the steps that their routes lead to; routes of the outcomes `but` do not count. */
export function sourcesOf(steps: ReadonlyMap<string, StepDraft>, ...but: string[]): ReadonlyMap<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const [name, step] of steps) {
    for (const target of targetsBut(step, ...but)) {
      const known = sources.get(target);
      if (known === undefined) sources.set(target, [name]);
      else known.push(name);
    }
  }
  return sources;
}
