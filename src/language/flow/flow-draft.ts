/** Data that the parts of the compiler share: the options, the draft of a flow, and the result. */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import type { SourceDocument } from '../../base/schema/document.ts';
import type { CompiledFlow, CompiledStep, Template, VerbSpec } from './compiled-flow.ts';
import type { FlowSummary } from './flow-summary.ts';
import type { StepRoutes } from './routes.ts';
import { secretPlacesOf } from './verb-facts.ts';

/** Names of the configuration that flows may use. */
export interface FlowNames {
  schedules: readonly string[];
  env: readonly string[];
  /** SIP headers, in lower case, that may be read in addition to the standard ones. */
  headers: readonly string[];
  /** Directories of sound files in addition to the flow's own. */
  promptRoots: readonly string[];
}

/** Further names of the configuration, for checks against a given one. */
export interface ConfiguredNames {
  users: readonly string[];
  numbers: readonly string[];
  /** Prefixes of routes; empty for a route that accepts all numbers. */
  prefixes: readonly string[];
  secrets: readonly string[];
  /** Providers of messages. */
  messages?: readonly string[];
  /** AI agents. */
  assistants?: readonly string[];
  /** Names of the engines' voices, alone and with the engine's name. */
  voices?: readonly string[];
  /** Providers of card payments. */
  payments?: readonly string[];
}

export interface CompileOptions {
  /** Flows that `subflow` may name; undefined: any name is accepted. */
  knownFlows?: ReadonlyMap<string, FlowSummary>;
  /** True if other names are accepted as well. */
  believesFlows?: boolean;
  /** Names of the configuration's schedules; undefined: any name is accepted. */
  schedules?: readonly string[];
  /** Names of `env`; undefined: any name is accepted. */
  env?: readonly string[];
  /** SIP headers that may be read in addition to the standard ones; undefined: any name is accepted. */
  headers?: readonly string[];
  /** Directories of sound files in addition to the flow's own. */
  promptRoots?: readonly string[];
  /** Undefined: any name is accepted. */
  configured?: ConfiguredNames;
  /** Clock for checks of dates; undefined: dates are not checked. */
  now?(): number;
  /** Reads a file that the flow names, by its absolute path inside its directory; undefined if it does not exist. */
  readFile?(path: string): string | undefined;
  /**
   * True if a flow with `todo` steps is returned although they are reported as errors, so that the rest can be tried.
   */
  withTodos?: boolean;
  /** Called from time to time; an exception from it stops the compilation. */
  throwIfOvertaken?(): void;
  /** Receives the draft of each flow of the document, also if it has mistakes. */
  onDraft?(draft: FlowDraft): void;
}

export interface Compilation {
  flow?: CompiledFlow;
  /** Local flows, under `flows` of its document. */
  locals?: readonly CompiledFlow[];
  diagnostics: Diagnostic[];
}

/** A step during compilation, with the data that lint needs. */
export interface StepDraft {
  compiled: CompiledStep;
  spec: VerbSpec;
  routes: StepRoutes;
  /** Arguments as written, compiled. */
  template: Template;
  /** JSON pointers of the step and of its arguments. */
  pointer: string;
  argsPointer: string;
  source: JsonObject;
}

export interface FlowDraft {
  document: SourceDocument;
  root: JsonObject;
  summary: FlowSummary;
  steps: ReadonlyMap<string, StepDraft>;
  /** Names of steps of invalid shape: they exist, but their routes are unknown. */
  invalidSteps: ReadonlySet<string>;
  flow: CompiledFlow;
  options: CompileOptions;
}

/** Names of all steps, including those of invalid shape. */
export const stepNames = ({ steps, invalidSteps }: Pick<FlowDraft, 'steps' | 'invalidSteps'>): ReadonlySet<string> =>
  new Set([...steps.keys(), ...invalidSteps]);

export const isStep = ({ steps, invalidSteps }: FlowDraft, name: string): boolean =>
  steps.has(name) || invalidSteps.has(name);

/** Arguments of verbs with secrets that contain a URL. */
export const URL_KEYS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'url'];

/**
 * Pointers below the arguments of a verb at which `secrets` is visible. None for a flow that a request or an answer contained: its sender could have
 * the secrets sent to an own server.
 */
export const visibleSecrets = ({ hasLines }: Pick<SourceDocument, 'hasLines'>, verb: string): readonly string[] =>
  hasLines ? secretPlacesOf(verb) : [];

// --- shared by several checks ----------------------------------------------------------------------------------------

/** Variables that a step assigns, as written, and their pointer. */
export function assignmentsOf({ source, spec, pointer, argsPointer }: StepDraft): { values: JsonObject; at: string } {
  const written = source['set'];
  return { values: isObject(written) ? written : {}, at: spec.form === 'assignments' ? argsPointer : `${pointer}/set` };
}

/** True if the caller hears audio of this flow while the step runs. */
export const isHeard = ({ spec, compiled: { args } }: StepDraft): boolean =>
  spec.media === true || (isObject(args) && args['meanwhile'] !== undefined);

/** True if an application may send the call to any step. */
export const mayGoto = ({ compiled: { args } }: StepDraft): boolean =>
  isObject(args) && Array.isArray(args['may']) && args['may'].includes('goto');

/** Action of a `recording`, `stream` or `transcribe` step, in short or long form. */
export function actionOf({ compiled: { args } }: StepDraft): string {
  const action = isObject(args) ? args['action'] : args;
  return typeof action === 'string' ? action : '';
}

/** Targets of all outcomes except these. */
export function targetsBut({ compiled: { exits } }: StepDraft, ...outcomes: string[]): string[] {
  const targets: string[] = [];
  for (const outcome of Object.keys(exits)) if (!outcomes.includes(outcome)) targets.push(exits[outcome]!);
  return targets;
}

const sourcesByFlow = new WeakMap<FlowDraft['steps'], ReadonlyMap<string, string[]>>();

/** Steps that route to a step, by an index of the flow that is made once. */
export function stepsBefore({ compiled: { name } }: StepDraft, { steps }: Pick<FlowDraft, 'steps'>): StepDraft[] {
  const sources = sourcesByFlow.get(steps) ?? sourcesOf(steps);
  sourcesByFlow.set(steps, sources);
  return [...new Set(sources.get(name))].flatMap((source) => steps.get(source) ?? []);
}

/** Map from each step to the steps that route to it, without routes of the outcomes `but`. */
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
