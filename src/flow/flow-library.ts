/**
 * The flows of a directory, and those that came as JSON by REST. Neighbours: `compile.ts`; `calls/` asks for flows by
 * name; `prompts.ts` finds what they play.
 *
 * Invariants
 *  - a flow that does not compile is not in the library, and does not keep the others out of it;
 *  - flows of requests are kept by what they say, a bounded number of them, and never shadow a flow of the directory;
 *  - a flow is replaced by one that compiles, or stays as it was; who has it already keeps it;
 *  - other JSON and YAML that lies beside flows is left alone (`flow-file.ts`).
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Diagnostic, quoting } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';
import { programFile } from '../core/program-files.ts';
import { DOCUMENT_LIMITS, errorAt, type SourceDocument, startOf } from '../schema/document.ts';
import { type LoadedDocument, loadDocument } from '../schema/load.ts';
import { type Compilation, type CompileOptions, compileDocument, compileLoaded } from './compile.ts';
import type { CompiledFlow, VerbSpec } from './compiled-flow.ts';
import { isInside } from './contained-files.ts';
import { isFlowByName, isFlowDocument, looksLikeFlow } from './flow-file.ts';
import { flowFiles, readText } from './flow-folder.ts';
import { inlineFlowProblem } from './inline-flow-limits.ts';
import { mainFlowOf, summariesOf } from './local-flows.ts';
import { type FlowSummary, flowsNamedBy, nameOfFlow } from './routes.ts';

export { flowFiles } from './flow-folder.ts';
export { type ResolvedPrompt, resolvePrompt } from './prompts.ts';

/** Flows that come with the program: they carry out what REST asks for. */
export const BUILT_IN_FLOWS = programFile('flows/builtin');
/** A large one of them takes some megabytes. */
const MAX_INLINE_FLOWS = 100;
const DIGEST_LENGTH = 16;
/** The file of flows without one. */
const INLINE_FILE = 'request';

const tooLarge = (problem: string): Compilation => ({
  diagnostics: [errorAt(startOf(INLINE_FILE), 'too-big', `a flow that came with a request ${problem}`)],
});

/** A file of the library. */
export interface FlowSource {
  file: string;
  text: string;
  /** By its text, which may not compile. */
  name?: string;
  /** The flow of this file that new calls take. */
  flow?: CompiledFlow;
  /** Those under `flows` of this file. */
  locals?: readonly CompiledFlow[];
  diagnostics: readonly Diagnostic[];
}

interface LoadedSource extends FlowSource {
  /** Of its text: what flows know of its flows. */
  summaries: ReadonlyMap<string, FlowSummary>;
}

export class FlowLibrary {
  readonly #verbs: readonly VerbSpec[];
  readonly #options: CompileOptions;
  /** By file, in the order in which they were loaded. */
  readonly #sources = new Map<string, LoadedSource>();
  readonly #builtIn = new Map<string, CompiledFlow>();
  /** Never changed: replaced as a whole, because calls that began keep it. */
  #flows: ReadonlyMap<string, CompiledFlow> = new Map();
  #digest: { of: ReadonlyMap<string, CompiledFlow>; text: string } | undefined;
  readonly #embedded = new Map<string, Compilation>();
  readonly #summaries = new Map<string, FlowSummary>();
  /** Of files that cannot be read, and of the flows that come with the program. */
  readonly #diagnostics: Diagnostic[] = [];
  #hasBuiltIn = false;

  constructor(verbs: readonly VerbSpec[], options: Omit<CompileOptions, 'knownFlows'> = {}) {
    this.#verbs = verbs;
    this.#options = { ...options, knownFlows: this.#summaries };
  }

  /**
   * Adds every flow of a directory and of those below it; may be called for several directories, the first wins. Files
   * in `named` are flows whatever is in them.
   */
  load(directory: string, named: readonly string[] = []): this {
    for (const _ of this.loading(directory, named));
    return this;
  }

  /** The same in small parts: between them, others may have their turn. Nothing is found by `get` before the end. */
  *loading(directory: string, named: readonly string[] = []): Generator<void> {
    this.#hasBuiltIn ||= isInside(BUILT_IN_FLOWS, resolve(directory));
    const wanted = named.map((file) => join(file));
    const files = [...new Set([...flowFiles(directory), ...wanted])];
    const added: { source: LoadedSource; loaded: LoadedDocument }[] = [];
    for (const file of files) {
      const { text, problem } = readText(file);
      const isCertain = wanted.includes(file) || isFlowByName(file);
      if (!isCertain && !(text !== undefined && looksLikeFlow(text))) continue;
      if (text === undefined) {
        this.#diagnostics.push(errorAt(startOf(file), 'unreadable', problem));
        continue;
      }
      const loaded = loadDocument(text, file);
      if (!isCertain && loaded.document !== undefined && !isFlowDocument(loaded.document.value)) continue;
      if (this.#sources.has(file)) continue;
      const source = sourceOf(file, text, loaded);
      added.push({ source, loaded });
      this.#sources.set(file, source);
      this.#summarise(source);
    }
    const callsOurs = !this.#hasBuiltIn && this.#knowBuiltIn();
    for (const { source, loaded } of added) {
      this.#compile(source, loaded);
      yield;
    }
    this.#index();
    if (callsOurs) this.loadBuiltIn();
  }

  /** Becomes what another library is: from now on calls take its flows. What flows may name stays that of this one. */
  become(other: FlowLibrary): void {
    replaceAll(this.#sources, other.#sources);
    replaceAll(this.#builtIn, other.#builtIn);
    replaceAll(this.#summaries, other.#summaries);
    this.#diagnostics.splice(0, this.#diagnostics.length, ...other.#diagnostics);
    this.#hasBuiltIn = other.#hasBuiltIn;
    this.#embedded.clear();
    this.#flows = other.#flows;
  }

  /** The flows as they are now, whatever becomes of them: a call keeps those that it began with. */
  flowsNow(): (flow: string | JsonObject) => CompiledFlow | undefined {
    const flows = this.#flows;
    return (flow) => (typeof flow === 'string' ? flows.get(flow) : this.compile(flow).flow);
  }

  /** What a file would be with this text, beside the others; it is not taken into the library. */
  check(file: string, text: string): Compilation & { name?: string } {
    const loaded = loadDocument(text, file);
    const { name, made } = this.#compileBeside(file, loaded);
    const other = [...this.#sources.values()].find((one) => one.file !== file && one.flow && one.name === name);
    if (made.flow === undefined || other === undefined) return { ...made, ...(name !== undefined && { name }) };
    return { diagnostics: [...made.diagnostics, duplicateOf(made.flow, other.file)], name: made.flow.name };
  }

  /** What the flow of a file would be if its document were this one; it is not taken into the library. */
  compileChanged(document: SourceDocument): Compilation {
    return this.#compileBeside(document.file, { document, diagnostics: [] }).made;
  }

  #compileBeside(file: string, loaded: LoadedDocument): { name?: string; made: Compilation } {
    const { name, summaries } = namedFlow(loaded);
    const knownFlows = new Map(this.#summaries);
    for (const [flow, summary] of summaries) knownFlows.set(flow, summary);
    const made = compileLoaded(loaded, file, this.#verbs, { ...this.#options, knownFlows });
    return { made, ...(name !== undefined && { name }) };
  }

  /**
   * Takes the text of a file in place of what it was, if it compiles: the next call of the flow, and of those that call it,
   * finds the new one. A flow that calls it and does not compile any more stays as it was.
   */
  take(file: string, text: string): Compilation {
    const made = this.check(file, text);
    if (made.flow === undefined) return made;
    const source = sourceOf(file, text, loadDocument(text, file));
    this.#replace(file, { ...source, flow: made.flow, locals: made.locals ?? [], diagnostics: made.diagnostics });
    return made;
  }

  /**
   * Takes an earlier text of a file that does not compile. What is wrong with the file stays among the diagnostics of the
   * loading. Undefined: the earlier text does not compile either.
   */
  takeEarlier(file: string, text: string): CompiledFlow | undefined {
    const wrong = this.#sources.get(file)?.diagnostics ?? [];
    const { flow } = this.take(file, text);
    if (flow) this.#diagnostics.push(...wrong);
    return flow;
  }

  /** Forgets the flow of a file. */
  remove(file: string): void {
    this.#replace(file, undefined);
  }

  /** The files with flows in them, those that do not compile included. */
  sources(): readonly FlowSource[] {
    return [...this.#sources.values()];
  }

  /** The text of the flow that calls take by this name. */
  textOf(name: string): string | undefined {
    const flow = this.#flows.get(name);
    const ours = this.#builtIn.get(name) === flow ? builtIn(this.#verbs).sources() : [];
    return [...this.#sources.values(), ...ours].find(({ file }) => file === flow?.file)?.text;
  }

  /** Flows that call this one or continue with it, by themselves or by others. */
  callersOf(name: string): string[] {
    const found = new Set<string>();
    const visit = (called: string): void => {
      for (const [caller, summary] of this.#summaries) {
        if (!flowsNamedBy(summary).includes(called) || found.has(caller)) continue;
        found.add(caller);
        visit(caller);
      }
    };
    visit(name);
    return [...found];
  }

  /** Flows that it calls or continues with, by itself. */
  callsOf(name: string | undefined): readonly string[] {
    const summary = name === undefined ? undefined : this.#summaries.get(name);
    return summary === undefined ? [] : flowsNamedBy(summary);
  }

  /** What other flows know of them, by name. */
  summaries(): ReadonlyMap<string, FlowSummary> {
    return this.#summaries;
  }

  #replace(file: string, source: LoadedSource | undefined): void {
    const names = [this.#sources.get(file), source].flatMap((each) => [...(each?.summaries.keys() ?? [])]);
    if (source === undefined) this.#sources.delete(file);
    else this.#sources.set(file, source);
    this.#summaries.clear();
    for (const one of this.#sources.values()) this.#summarise(one);
    if (this.#hasBuiltIn) for (const [name, summary] of builtInSummaries(this.#verbs)) this.#summariseAs(name, summary);
    // They were compiled with another one in sight.
    this.#embedded.clear();
    const callers = new Set(names.flatMap((name) => this.callersOf(name)).map(mainFlowOf));
    for (const one of this.#sources.values()) {
      if (one !== source && one.name !== undefined && callers.has(one.name))
        this.#compile(one, loadDocument(one.text, one.file));
    }
    this.#index();
  }

  /** Flows may use those that come with the program: whether one does that has no other of this name. */
  #knowBuiltIn(): boolean {
    const ours = builtIn(this.#verbs).#summaries;
    const called = new Set([...this.#summaries.values()].flatMap(flowsNamedBy));
    if (![...ours.keys()].some((name) => called.has(name) && !this.#summaries.has(name))) return false;
    for (const [name, summary] of ours) this.#summariseAs(name, summary);
    return true;
  }

  /** Adds the flows that come with the program, unless they were below a directory that is loaded. */
  loadBuiltIn(): this {
    if (this.#hasBuiltIn) return this;
    const ours = builtIn(this.#verbs);
    // Ours that call one of the directory's are checked against that one.
    const isTaken = (name: string): boolean =>
      (this.#summaries.get(name) ?? ours.#summaries.get(name)) !== ours.#summaries.get(name);
    if ([...ours.#summaries.keys()].some(isTaken)) return this.load(BUILT_IN_FLOWS);
    this.#hasBuiltIn = true;
    this.#diagnostics.push(...ours.#diagnostics);
    for (const [name, summary] of ours.#summaries) this.#summaries.set(name, summary);
    const roots = this.#options.promptRoots ?? [];
    const prompted = (flow: CompiledFlow): CompiledFlow =>
      roots.length === 0 ? flow : { ...flow, prompts: { ...flow.prompts, roots } };
    for (const [name, flow] of ours.#flows) this.#builtIn.set(name, prompted(flow));
    this.#index();
    return this;
  }

  get(name: string): CompiledFlow | undefined {
    return this.#flows.get(name);
  }

  /** The flow of a name, or made of what came with a request. */
  find(flow: string | JsonObject): CompiledFlow | undefined {
    return typeof flow === 'string' ? this.get(flow) : this.compile(flow).flow;
  }

  names(): string[] {
    return [...this.#flows.keys()].sort();
  }

  /** Of all that flows say: the same where the flows are the same. */
  digest(): string {
    if (this.#digest?.of !== this.#flows) {
      const said = this.names().map((name) => [name, this.get(name)!.hash]);
      const text = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, DIGEST_LENGTH);
      this.#digest = { of: this.#flows, text };
    }
    return this.#digest.text;
  }

  /** Everything that was found wrong while loading. */
  diagnostics(): readonly Diagnostic[] {
    const found = [...this.#diagnostics];
    for (const { diagnostics, flow } of this.#sources.values()) {
      found.push(...diagnostics);
      const taken = flow && this.#flows.get(flow.name);
      if (flow && taken && taken.file !== flow.file) found.push(duplicateOf(flow, taken.file));
    }
    return found;
  }

  /** A flow that came with a request: compiled once per content. It is not found by `get`. */
  compile(document: unknown): Compilation {
    const key = keyOf(document);
    const known = key === undefined ? undefined : this.#embedded.get(key);
    if (known !== undefined) return known;
    const problem = inlineFlowProblem(document);
    const compiled =
      problem === undefined ? compileDocument(document, INLINE_FILE, this.#verbs, this.#options) : tooLarge(problem);
    if (key !== undefined) {
      if (this.#embedded.size >= MAX_INLINE_FLOWS) this.#embedded.delete(this.#embedded.keys().next().value as string);
      this.#embedded.set(key, compiled);
    }
    return compiled;
  }

  #summarise({ name, summaries }: LoadedSource): void {
    // A file whose flow another one has is not in sight, with all of its flows.
    if (name !== undefined && this.#summaries.has(name)) return;
    for (const [flow, summary] of summaries) this.#summariseAs(flow, summary);
  }

  /** The first of a name counts. */
  #summariseAs(name: string, summary: FlowSummary): void {
    if (!this.#summaries.has(name)) this.#summaries.set(name, summary);
  }

  /** What does not compile any more stays as it was. */
  #compile(source: LoadedSource, loaded: LoadedDocument): void {
    const { flow, locals = [], diagnostics } = compileLoaded(loaded, source.file, this.#verbs, this.#options);
    source.diagnostics = diagnostics;
    if (flow !== undefined) Object.assign(source, { flow, locals });
  }

  /** Of several with one name the first is taken, and ours when nobody else has it. */
  #index(): void {
    const flows = new Map<string, CompiledFlow>();
    for (const { flow, locals = [] } of this.#sources.values()) {
      if (flow === undefined || flows.has(flow.name)) continue;
      for (const each of [flow, ...locals]) flows.set(each.name, each);
    }
    for (const [name, flow] of this.#builtIn) if (!flows.has(name)) flows.set(name, flow);
    this.#flows = flows;
  }
}

function replaceAll<Value>(map: Map<string, Value>, by: ReadonlyMap<string, Value>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}

const sourceOf = (file: string, text: string, loaded: LoadedDocument): LoadedSource => ({
  ...{ file, text, diagnostics: [] },
  ...namedFlow(loaded),
});

function namedFlow({ document }: LoadedDocument): { name?: string; summaries: ReadonlyMap<string, FlowSummary> } {
  const name = nameOfFlow(document?.value);
  return document === undefined || name === undefined
    ? { summaries: new Map() }
    : { name, summaries: summariesOf(document.value) };
}

const duplicateOf = ({ name, file }: CompiledFlow, other: string): Diagnostic =>
  errorAt(startOf(file), 'duplicate-flow', `the flow ${quoting`${name}`} is already in ${other}`);

const builtInLibraries = new WeakMap<readonly VerbSpec[], FlowLibrary>();

/** Compiled once: nothing in them depends on the configuration but where their prompts are looked for. */
function builtIn(verbs: readonly VerbSpec[]): FlowLibrary {
  const known = builtInLibraries.get(verbs);
  if (known !== undefined) return known;
  const library = new FlowLibrary(verbs).load(BUILT_IN_FLOWS);
  builtInLibraries.set(verbs, library);
  return library;
}

const builtInSummaries = (verbs: readonly VerbSpec[]): ReadonlyMap<string, FlowSummary> => builtIn(verbs).summaries();

function keyOf(document: unknown): string | undefined {
  try {
    const text = JSON.stringify(document);
    return text.length <= DOCUMENT_LIMITS.bytes ? text : undefined;
  } catch {
    return undefined;
  }
}
