/**
 * Diagnostics of open flows. A flow is checked after a pause of the author, with the other flows of its folder; open
 * ones are used as they are in the editor. `../flow-files.ts` loads the folder, `server.ts` opens documents.
 *
 * Invariants
 * - a document is checked in its current version: outdated texts are neither checked nor reported;
 * - a changed flow also causes a check of the flows that call it.
 */
import { basename, resolve } from 'node:path';
import { systemClock, type Timer } from '../../base/core/clock.ts';
import type { ConfiguredFlowNames } from '../../config.ts';
import { isTestFile } from '../../language/flow/flow-file.ts';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { mainFlowOf } from '../../language/flow/local-flows.ts';
import { shownIn } from '../../language/flow/properties-beside.ts';
import { type Problem, problemsOf } from '../../language/flow/text/problems.ts';
import { isFolder } from '../find-files.ts';
import { forgetLibraries, libraryAround, noFlows } from '../flow-files.ts';
import { fileOf, type LspFlowText } from './flow-text.ts';
import { problemsOfTest } from './test-checks.ts';

/** Delay after the last key. */
const PAUSE_MS = 120;

export interface LspCheckOptions {
  /** Paths of the command line, as for `check`. */
  paths: readonly string[];
  names: ConfiguredFlowNames | undefined;
  /** Currently open flows. */
  open(): readonly LspFlowText[];
  report(flow: LspFlowText, problems: readonly Problem[]): void;
  /** Called if a folder cannot be read or was removed. */
  failed(error: unknown): void;
}

export class Checks {
  readonly #options: LspCheckOptions;
  readonly #paths: readonly string[];
  readonly #waiting = new Set<string>();
  readonly #found = new WeakMap<LspFlowText, readonly Problem[]>();
  #timer: Timer | undefined;

  constructor(options: LspCheckOptions) {
    this.#options = options;
    this.#paths = options.paths.map((path) => resolve(path));
  }

  /** Schedules a check after the pause. */
  soon(uri: string): void {
    this.#waiting.add(uri);
    this.#timer?.cancel();
    this.#timer = systemClock.after(PAUSE_MS, () => {
      try {
        this.#checkWaiting();
      } catch (error) {
        this.#options.failed(error);
      }
    });
  }

  /** Clears the cache and checks all open flows again. */
  filesChanged(): void {
    forgetLibraries();
    for (const { uri } of this.#options.open()) this.soon(uri);
  }

  /** Library of flows that a flow can call. */
  libraryOf({ file }: Pick<LspFlowText, 'file'>): FlowLibrary {
    const isThere = isFolder(resolve(file, '..'));
    return isThere ? libraryAround(file, this.#paths, this.#options.names) : noFlows();
  }

  /** Problems of an open test; none of documents that are not tests. */
  problemsOfTest(uri: string, text: string): readonly Problem[] {
    const file = fileOf(uri);
    return file === undefined || !isTestFile(basename(file))
      ? []
      : problemsOfTest(text, file, this.libraryOf({ file }));
  }

  problemsOf(flow: LspFlowText): readonly Problem[] {
    const known = this.#found.get(flow);
    if (known !== undefined) return known;
    const { diagnostics } = this.libraryOf(flow).take(flow.file, flow.text);
    const problems = problemsOf(flow.text, shownIn(flow.file, diagnostics), {
      ...flow.namesOf(undefined),
      words: flow.words,
    });
    this.#found.set(flow, problems);
    return problems;
  }

  #checkWaiting(): void {
    const waiting = this.#options.open().filter(({ uri }) => this.#waiting.has(uri));
    this.#waiting.clear();
    const changed = new Set(waiting.map(({ uri }) => uri));
    const before = new Map(waiting.map((flow) => [flow, this.#callersOf(flow)]));
    for (const flow of waiting) this.#found.delete(flow);
    for (const flow of waiting) this.problemsOf(flow);
    const callers = new Set(waiting.flatMap((flow) => [...before.get(flow)!, ...this.#callersOf(flow)]));
    const others = this.#options.open().filter(({ uri, file }) => !changed.has(uri) && callers.has(file));
    for (const flow of others) this.#found.delete(flow);
    for (const flow of [...waiting, ...others]) this.#options.report(flow, this.problemsOf(flow));
  }

  /** Files of the flows that call this one, according to their last compiled version. */
  #callersOf(flow: LspFlowText): string[] {
    const library = this.libraryOf(flow);
    const sources = library.sources();
    const name = sources.find(({ file }) => file === flow.file)?.name;
    const ofFile = [...library.summaries().keys()].filter((each) => mainFlowOf(each) === name);
    const callers = new Set(ofFile.flatMap((each) => library.callersOf(each)).map(mainFlowOf));
    return sources.filter((source) => source.name !== undefined && callers.has(source.name)).map(({ file }) => file);
  }
}
