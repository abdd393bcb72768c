/**
 * The flows of a directory, and those that came as JSON by REST. Neighbours: `compile.ts`; `calls/` asks for flows by
 * name; `prompts.ts` finds what they play.
 *
 * Invariants
 *  - a flow that does not compile is not in the library, and does not keep the others out of it;
 *  - flows of requests are kept by what they say, a bounded number of them, and never shadow a flow of the directory;
 *  - other JSON and YAML that lies beside flows is left alone (`flow-file.ts`).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Diagnostic, quoting } from '../core/diagnostic.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { DOCUMENT_LIMITS, errorAt, startOf } from '../schema/document.ts';
import { type LoadedDocument, loadDocument } from '../schema/load.ts';
import { type Compilation, type CompileOptions, compileDocument, compileLoaded } from './compile.ts';
import type { CompiledFlow, VerbSpec } from './compiled-flow.ts';
import { isInside, leadsInside } from './contained-files.ts';
import { isFlowByName, isFlowDocument, looksLikeFlow, mayHoldFlow } from './flow-file.ts';
import { inlineFlowProblem } from './inline-flow-limits.ts';
import { type FlowSummary, summarise } from './routes.ts';

export { type ResolvedPrompt, resolvePrompt } from './prompts.ts';

/** Flows that come with the program: they carry out what REST asks for. */
export const BUILT_IN_FLOWS = resolve(import.meta.dirname, '../../flows/builtin');
const MAX_FILES = 2000;
const MAX_DEPTH = 5;
/** A large one of them takes some megabytes. */
const MAX_INLINE_FLOWS = 100;
/** The file of flows without one. */
const INLINE_FILE = 'request';

const tooLarge = (problem: string): Compilation => ({
  diagnostics: [errorAt(startOf(INLINE_FILE), 'too-big', `a flow that came with a request ${problem}`)],
});

export class FlowLibrary {
  readonly #verbs: readonly VerbSpec[];
  readonly #options: CompileOptions;
  readonly #flows = new Map<string, CompiledFlow>();
  readonly #embedded = new Map<string, Compilation>();
  readonly #summaries = new Map<string, FlowSummary>();
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
    this.#hasBuiltIn ||= isInside(BUILT_IN_FLOWS, resolve(directory));
    const wanted = named.map((file) => join(file));
    const files = [...new Set([...flowFiles(directory), ...wanted])];
    const documents: { file: string; loaded: LoadedDocument }[] = [];
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
      documents.push({ file, loaded });
      this.#summarise(loaded);
    }
    const callsOurs = !this.#hasBuiltIn && this.#knowBuiltIn();
    for (const { file, loaded } of documents) this.#add(compileLoaded(loaded, file, this.#verbs, this.#options));
    return callsOurs ? this.loadBuiltIn() : this;
  }

  /** Flows may use those that come with the program: whether one does that has no other of this name. */
  #knowBuiltIn(): boolean {
    const ours = builtIn(this.#verbs).#summaries;
    const called = new Set([...this.#summaries.values()].flatMap(({ calls }) => calls));
    if (![...ours.keys()].some((name) => called.has(name) && !this.#summaries.has(name))) return false;
    for (const [name, summary] of ours) if (!this.#summaries.has(name)) this.#summaries.set(name, summary);
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
    for (const [name, flow] of ours.#flows) this.#flows.set(name, prompted(flow));
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

  /** Everything that was found wrong while loading. */
  diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
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

  #summarise({ document }: LoadedDocument): void {
    const value = document?.value;
    if (!isObject(value) || typeof value['flow'] !== 'string' || this.#summaries.has(value['flow'])) return;
    this.#summaries.set(value['flow'], summarise(value));
  }

  #add({ flow, diagnostics }: Compilation): void {
    this.#diagnostics.push(...diagnostics);
    if (flow === undefined) return;
    const other = this.#flows.get(flow.name);
    const message = `the flow ${quoting`${flow.name}`} is already in ${other?.file}`;
    if (other === undefined) this.#flows.set(flow.name, flow);
    else this.#diagnostics.push(errorAt(startOf(flow.file), 'duplicate-flow', message));
  }
}

const builtInLibraries = new WeakMap<readonly VerbSpec[], FlowLibrary>();

/** Compiled once: nothing in them depends on the configuration but where their prompts are looked for. */
function builtIn(verbs: readonly VerbSpec[]): FlowLibrary {
  const known = builtInLibraries.get(verbs);
  if (known !== undefined) return known;
  const library = new FlowLibrary(verbs).load(BUILT_IN_FLOWS);
  builtInLibraries.set(verbs, library);
  return library;
}

const OTHER_DIRECTORIES = new Set(['prompts', 'schemas', 'node_modules']);

function flowFiles(directory: string): string[] {
  const files: string[] = [];
  const visit = (at: string, depth: number): void => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name))) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !entry.name.startsWith('.') && !OTHER_DIRECTORIES.has(entry.name))
          visit(path, depth + 1);
      } else if (mayHoldFlow(entry.name) && files.length < MAX_FILES && leadsInside(path, directory)) files.push(path);
    }
  };
  visit(directory, 0);
  return files;
}

function readText(file: string): { text: string; problem?: undefined } | { text?: undefined; problem: string } {
  try {
    const stats = statSync(file);
    // A named pipe would keep us waiting for its writer.
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size > DOCUMENT_LIMITS.bytes)
      return { problem: `the file is larger than ${DOCUMENT_LIMITS.bytes} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } catch {
    return { problem: 'the file cannot be read' };
  }
}

function keyOf(document: unknown): string | undefined {
  try {
    const text = JSON.stringify(document);
    return text.length <= DOCUMENT_LIMITS.bytes ? text : undefined;
  } catch {
    return undefined;
  }
}
