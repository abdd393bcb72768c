/**
 * Flows that a job finds by name: the deployed texts, one of them replaced by the text under test. Each flow is
 * compiled on demand with the summaries of the others, and cached until a text or a summary changes.
 */
import { dirname, resolve } from 'node:path';
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { type Compilation, compileDocument, compileLoaded } from '../../language/flow/compile.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { CompileOptions } from '../../language/flow/flow-draft.ts';
import { FlowLibrary } from '../../language/flow/flow-library.ts';
import { nameOfFlow } from '../../language/flow/flow-summary.ts';
import { mainFlowOf, summariesOf } from '../../language/flow/local-flows.ts';
import { propertiesBeside } from '../../language/flow/properties-beside.ts';
import type { TriedFlow } from '../../service/calls/flow-files/flow-trial.ts';
import { verbs } from '../../verbs/steps.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { JobContext } from './jobs.ts';

export interface JobFlows {
  /** Undefined if the text has errors. */
  flow?: CompiledFlow;
  diagnostics: readonly Diagnostic[];
  flows: FindFlow;
}

const MAX_KEPT = 200;

export function flowsOf(
  { name, file, text }: TriedFlow,
  { texts, compileOptions, compiled, throwIfOvertaken }: JobContext,
): JobFlows {
  const inForce = new Map(texts);
  if (text !== undefined) inForce.set(file, text);
  const options = withTried(text, file, compileOptions);
  const sight = JSON.stringify([[...(options.knownFlows ?? [])], options.schedules]);
  const compile = (at: string, source: string): Compilation => {
    const beside = propertiesBeside(at, dirname(resolve(at)));
    const of = `${sight}\n${beside?.text ?? ''}\n${source}`;
    const known = compiled.get(at);
    if (known?.of === of) return known.compiled;
    throwIfOvertaken();
    const made = compileLoaded(loadDocument(source, at), at, verbs, options);
    if (compiled.size >= MAX_KEPT) compiled.clear();
    compiled.set(at, { of, compiled: made });
    return made;
  };
  const files = new Map<string, string>();
  for (const [at, source] of inForce) {
    const called = quickNameOf(source);
    if (called !== undefined && (!files.has(called) || at === file)) files.set(called, at);
  }
  let ours: FlowLibrary | undefined;
  const flows: FindFlow = (wanted) => {
    if (typeof wanted !== 'string') return inline(wanted, options);
    const at = files.get(mainFlowOf(wanted));
    if (at !== undefined) return flowNamed(wanted, compile(at, inForce.get(at)!));
    ours ??= new FlowLibrary(verbs).loadBuiltIn();
    return ours.get(wanted);
  };
  const source = inForce.get(file);
  if (source === undefined) {
    const flow = flows(name);
    return flow ? { flow, diagnostics: [], flows } : { diagnostics: [], flows };
  }
  const tried = compile(file, source);
  return { ...tried, flows: (wanted) => flowNamed(wanted, tried) ?? flows(wanted) };
}

/** Adds the summary of the text under test to the compile options. */
function withTried(text: string | undefined, file: string, options: CompileOptions): CompileOptions {
  if (text === undefined) return options;
  const value = loadDocument(text, file).document?.value;
  return value === undefined
    ? options
    : { ...options, knownFlows: new Map([...(options.knownFlows ?? []), ...summariesOf(value)]) };
}

const flowNamed = (wanted: string | JsonObject, { flow, locals = [] }: Compilation): CompiledFlow | undefined =>
  flow && [flow, ...locals].find(({ name }) => name === wanted);

const inline = (flow: JsonObject, options: CompileOptions): CompiledFlow | undefined =>
  compileDocument(flow, 'request', verbs, options).flow;

/** Reads the name of a flow without parsing the text, if the key `flow` is at the start of a YAML line. */
function quickNameOf(text: string): string | undefined {
  const written = /^["']?flow["']?[ \t]*:[ \t]*["']?([A-Za-z0-9_][A-Za-z0-9_.-]*)/m.exec(text)?.[1];
  return written ?? nameOfFlow(loadDocument(text, '').document?.value);
}
