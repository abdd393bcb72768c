/**
 * Compiled flows of directories, and inline flows that REST requests contain. `compile.ts` compiles them, `calls/`
 * looks them up by name, and `prompts.ts` resolves their prompts.
 *
 * Invariants
 *  - A flow that does not compile is not in the library, and does not keep the others out of it.
 *  - Inline flows are cached by content, up to a limit, and never shadow a flow of the directory.
 *  - A flow is replaced only by one that compiles. Calls that hold the old flow keep it.
 *  - Other JSON and YAML files next to flows are ignored (`flow-file.ts`).
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { programFile } from '../../base/core/program-files.ts';
import { DOCUMENT_LIMITS, errorAt, type SourceDocument, startOf } from '../../base/schema/document.ts';
import { type LoadedDocument, loadDocument } from '../../base/schema/load.ts';
import { type Compilation, type CompileOptions, compileDocument, compileLoaded } from './compile.ts';
import type { CompiledFlow, VerbSpec } from './compiled-flow.ts';
import { isFlowByName, isFlowDocument, looksLikeFlow } from './flow-file.ts';
import { flowFiles, readText } from './flow-folder.ts';
import { callersIn, type FlowSummary, flowsNamedBy } from './flow-summary.ts';
import { inlineFlowProblem } from './inline-flow-limits.ts';
import {
  type CheckedText,
  duplicateOf,
  type FileText,
  type LibraryFile,
  type LoadedSource,
  namedFlow,
  sourceOf,
} from './library-file.ts';
import { mainFlowOf } from './local-flows.ts';
import { isInside } from './path-containment.ts';

export { flowFiles, TEMPLATE_FLOWS } from './flow-folder.ts';
export type { LibraryFile } from './library-file.ts';
export { type ResolvedPrompt, resolvePrompt } from './prompts.ts';

/** Built-in flows, which carry out REST commands. */
export const BUILT_IN_FLOWS = programFile('flows/builtin');
/** A large inline flow takes some megabytes. */
const MAX_INLINE_FLOWS = 100;
const DIGEST_LENGTH = 16;
/** File name in diagnostics of inline flows. */
const INLINE_FILE = 'request';

const tooLarge = (problem: string): Compilation => ({
  diagnostics: [errorAt(startOf(INLINE_FILE), 'too-big', `a flow that came with a request ${problem}`)],
});

export class FlowLibrary {
  readonly #verbs: readonly VerbSpec[];
  readonly #options: CompileOptions;
  /** By file, in the order of loading. */
  readonly #sources = new Map<string, LoadedSource>();
  readonly #builtIn = new Map<string, CompiledFlow>();
  /** Replaced as a whole and never modified, because active calls keep their version. */
  #flows: ReadonlyMap<string, CompiledFlow> = new Map();
  #digest: { of: ReadonlyMap<string, CompiledFlow>; text: string } | undefined;
  readonly #embedded = new Map<string, Compilation>();
  readonly #summaries = new Map<string, FlowSummary>();
  /** Diagnostics of unreadable files and of the built-in flows. */
  readonly #diagnostics: Diagnostic[] = [];
  #hasBuiltIn = false;

  constructor(verbs: readonly VerbSpec[], options: Omit<CompileOptions, 'knownFlows'> = {}) {
    this.#verbs = verbs;
    this.#options = { ...options, knownFlows: this.#summaries };
  }

  /**
   * Loads every flow of a directory and its sub-directories. May be called for several directories: the first flow of a
   * name wins. Files in `named` count as flows whatever they contain, templates of the studio too.
   */
  load(directory: string, named: readonly string[] = []): this {
    for (const _ of this.loading(directory, named));
    return this;
  }

  /**
   * Loads in small parts, so that other work can run between them. `get` finds none of the new flows before the end.
   */
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

  /**
   * Replaces the content of this library by that of another: new calls use its flows. The options stay those of this
   * library.
   */
  become(other: FlowLibrary): void {
    replaceAll(this.#sources, other.#sources);
    replaceAll(this.#builtIn, other.#builtIn);
    replaceAll(this.#summaries, other.#summaries);
    this.#diagnostics.splice(0, this.#diagnostics.length, ...other.#diagnostics);
    this.#hasBuiltIn = other.#hasBuiltIn;
    this.#embedded.clear();
    this.#flows = other.#flows;
  }

  /** Returns a lookup in the current set of flows, which later replacements do not change. */
  flowsNow(): (flow: string | JsonObject) => CompiledFlow | undefined {
    const flows = this.#flows;
    return (flow) => (typeof flow === 'string' ? flows.get(flow) : this.compile(flow).flow);
  }

  /** Compiles a text as the content of a file, next to the other flows, without adding it to the library. */
  check(file: string, text: string, more?: Pick<CompileOptions, 'onDraft'>): CheckedText {
    return this.checkTogether([{ file, text }], more)[0]!;
  }

  /** Compiles texts as the contents of their files, next to each other and to the other flows, without adding them. */
  checkTogether(texts: readonly FileText[], more?: Pick<CompileOptions, 'onDraft'>): CheckedText[] {
    const made = this.#compileBeside(
      texts.map(({ file, text }) => ({ file, loaded: loadDocument(text, file) })),
      more,
    );
    const others = [...this.#sources.values()].filter((one) => texts.every(({ file }) => file !== one.file));
    return made.map((one): CheckedText => {
      const { flow, name, diagnostics } = one;
      const other = others.find((each) => each.flow && each.name === name);
      if (flow === undefined || other === undefined) return one;
      return { diagnostics: [...diagnostics, duplicateOf(flow, other.file)], name: flow.name };
    });
  }

  /** Compiles a changed document of a file without adding it to the library. */
  compileChanged(document: SourceDocument): Compilation {
    return this.#compileBeside([{ file: document.file, loaded: { document, diagnostics: [] } }])[0]!;
  }

  #compileBeside(files: readonly { file: string; loaded: LoadedDocument }[], more: CompileOptions = {}): CheckedText[] {
    const named = files.map(({ loaded }) => namedFlow(loaded));
    const knownFlows = new Map([...this.#summaries, ...named.flatMap(({ summaries }) => [...summaries])]);
    const options = { ...this.#options, ...more, knownFlows };
    return files.map(({ file, loaded }, index) => {
      const { name } = named[index]!;
      return { ...compileLoaded(loaded, file, this.#verbs, options), ...(name !== undefined && { name }) };
    });
  }

  /**
   * Replaces the content of a file if the new text compiles: the next call of the flow, and of its callers, uses the
   * new version. A caller that no longer compiles keeps its old version.
   */
  take(file: string, text: string): Compilation {
    return this.takeTogether([{ file, text }])[0]!;
  }

  /** Replaces the contents of several files at once, unless one of the new texts does not compile. */
  takeTogether(texts: readonly FileText[]): Compilation[] {
    const made = this.checkTogether(texts);
    if (made.some(({ flow }) => flow === undefined)) return made;
    const sources = texts.map(({ file, text }, index): LoadedSource => {
      const { flow, locals = [], diagnostics } = made[index]!;
      return { ...sourceOf(file, text, loadDocument(text, file)), flow: flow!, locals, diagnostics };
    });
    this.#replace(
      texts.map(({ file }) => file),
      sources,
    );
    return made;
  }

  /**
   * Loads an earlier text of a file that does not compile, and keeps the file's diagnostics among those of loading.
   * Returns undefined if the earlier text does not compile either.
   */
  takeEarlier(file: string, text: string): CompiledFlow | undefined {
    const wrong = this.#sources.get(file)?.diagnostics ?? [];
    const { flow } = this.take(file, text);
    if (flow) this.#diagnostics.push(...wrong);
    return flow;
  }

  /** Removes the flow of a file. */
  remove(file: string): void {
    this.#replace([file], []);
  }

  /** All flow files, including those that do not compile. */
  sources(): readonly LibraryFile[] {
    return [...this.#sources.values()];
  }

  /** Text of the flow that calls use under this name. */
  textOf(name: string): string | undefined {
    const flow = this.#flows.get(name);
    const ours = this.#builtIn.get(name) === flow ? builtIn(this.#verbs).sources() : [];
    return [...this.#sources.values(), ...ours].find(({ file }) => file === flow?.file)?.text;
  }

  /** Flows that call this one or continue with it, directly or through others. */
  callersOf(name: string): string[] {
    return callersIn(this.#summaries, name);
  }

  /** Flows that this one calls or continues with directly. */
  callsOf(name: string | undefined): readonly string[] {
    const summary = name === undefined ? undefined : this.#summaries.get(name);
    return summary === undefined ? [] : flowsNamedBy(summary);
  }

  /** Summaries of all flows, by name. */
  summaries(): ReadonlyMap<string, FlowSummary> {
    return this.#summaries;
  }

  #replace(files: readonly string[], by: readonly LoadedSource[]): void {
    const old = files.flatMap((file) => this.#sources.get(file) ?? []);
    const names = [...old, ...by].flatMap(({ summaries }) => [...summaries.keys()]);
    // A replaced file keeps its place in the order.
    for (const file of files) if (by.every((source) => source.file !== file)) this.#sources.delete(file);
    for (const source of by) this.#sources.set(source.file, source);
    this.#summaries.clear();
    for (const one of this.#sources.values()) this.#summarise(one);
    if (this.#hasBuiltIn) for (const [name, summary] of builtInSummaries(this.#verbs)) this.#summariseAs(name, summary);
    // Inline flows were compiled against the previous flows.
    this.#embedded.clear();
    const callers = new Set(names.flatMap((name) => this.callersOf(name)).map(mainFlowOf));
    for (const one of this.#sources.values()) {
      if (!by.includes(one) && one.name !== undefined && callers.has(one.name))
        this.#compile(one, loadDocument(one.text, one.file));
    }
    this.#index();
  }

  /**
   * Adds the summaries of the built-in flows if a flow uses one of them that no loaded flow replaces; returns whether
   * it did.
   */
  #knowBuiltIn(): boolean {
    const ours = builtIn(this.#verbs).#summaries;
    const called = new Set([...this.#summaries.values()].flatMap(flowsNamedBy));
    if (![...ours.keys()].some((name) => called.has(name) && !this.#summaries.has(name))) return false;
    for (const [name, summary] of ours) this.#summariseAs(name, summary);
    return true;
  }

  /** Adds the built-in flows, unless they were below a loaded directory. */
  loadBuiltIn(): this {
    if (this.#hasBuiltIn) return this;
    const ours = builtIn(this.#verbs);
    // A built-in flow that calls a flow with a replaced name must be checked against the replacement.
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

  /** Returns a flow by name, or compiles an inline flow. */
  find(flow: string | JsonObject): CompiledFlow | undefined {
    return typeof flow === 'string' ? this.get(flow) : this.compile(flow).flow;
  }

  names(): string[] {
    return [...this.#flows.keys()].sort();
  }

  /** Digest of all flows: equal if all names and hashes are equal. */
  digest(): string {
    if (this.#digest?.of !== this.#flows) {
      const said = this.names().map((name) => [name, this.get(name)!.hash]);
      const text = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, DIGEST_LENGTH);
      this.#digest = { of: this.#flows, text };
    }
    return this.#digest.text;
  }

  /** All diagnostics of loading. */
  diagnostics(): readonly Diagnostic[] {
    const found = [...this.#diagnostics];
    for (const { diagnostics, flow } of this.#sources.values()) {
      found.push(...diagnostics);
      const taken = flow && this.#flows.get(flow.name);
      if (flow && taken && taken.file !== flow.file) found.push(duplicateOf(flow, taken.file));
    }
    return found;
  }

  /** Compiles an inline flow, once per content. `get` does not find it. */
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
    // If another file already has this flow name, none of this file's flows is visible.
    if (name !== undefined && this.#summaries.has(name)) return;
    for (const [flow, summary] of summaries) this.#summariseAs(flow, summary);
  }

  /** The first flow of a name wins. */
  #summariseAs(name: string, summary: FlowSummary): void {
    if (!this.#summaries.has(name)) this.#summaries.set(name, summary);
  }

  /** A flow that no longer compiles keeps its old version. */
  #compile(source: LoadedSource, loaded: LoadedDocument): void {
    const { flow, locals = [], diagnostics } = compileLoaded(loaded, source.file, this.#verbs, this.#options);
    source.diagnostics = diagnostics;
    if (flow !== undefined) Object.assign(source, { flow, locals });
  }

  /** The first of several flows with one name wins; a built-in flow is used only if no file has its name. */
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

const builtInLibraries = new WeakMap<readonly VerbSpec[], FlowLibrary>();

/** Compiled once for each table of verbs: only the prompt directories depend on the configuration. */
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
