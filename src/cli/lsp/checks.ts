/**
 * What the checker says of the open flows. A flow is checked once its author pauses, with those of its folder in sight, the
 * open ones as they stand in the editor. Neighbours: `../flow-files.ts` finds the folder, `server.ts` opens documents.
 *
 * Invariants
 *  - a document is checked as it is then: texts that were replaced meanwhile are neither checked nor reported;
 *  - flows that call one that was changed are checked again.
 */
import { resolve } from 'node:path';
import type { ConfiguredFlowNames } from '../../config.ts';
import { systemClock, type Timer } from '../../core/clock.ts';
import type { FlowLibrary } from '../../flow/flow-library.ts';
import { mainFlowOf } from '../../flow/local-flows.ts';
import { shownIn } from '../../flow/properties-beside.ts';
import { type Problem, problemsOf } from '../../flow/text/problems.ts';
import { isFolder } from '../find-files.ts';
import { forgetLibraries, libraryAround, noFlows } from '../flow-files.ts';
import type { FlowText } from './flow-text.ts';

/** After the last key. */
const PAUSE_MS = 120;

export interface CheckOptions {
  /** The files and folders of the command, as `check` takes them. */
  paths: readonly string[];
  names: ConfiguredFlowNames | undefined;
  /** The flows that are open now. */
  open(): readonly FlowText[];
  report(flow: FlowText, problems: readonly Problem[]): void;
  /** A folder may not be read, or went away. */
  failed(error: unknown): void;
}

export class Checks {
  readonly #options: CheckOptions;
  readonly #paths: readonly string[];
  readonly #waiting = new Set<string>();
  readonly #found = new WeakMap<FlowText, readonly Problem[]>();
  #timer: Timer | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#paths = options.paths.map((path) => resolve(path));
  }

  /** When the author pauses. */
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

  /** Files were changed: they are read again, and all that is open is checked again. */
  filesChanged(): void {
    forgetLibraries();
    for (const { uri } of this.#options.open()) this.soon(uri);
  }

  /** The flows that are in sight of one. */
  libraryOf({ file }: FlowText): FlowLibrary {
    const isThere = isFolder(resolve(file, '..'));
    return isThere ? libraryAround(file, this.#paths, this.#options.names) : noFlows();
  }

  problemsOf(flow: FlowText): readonly Problem[] {
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

  /** The files of the flows that call this one, as far as it is known by what it was when it compiled last. */
  #callersOf(flow: FlowText): string[] {
    const library = this.libraryOf(flow);
    const sources = library.sources();
    const name = sources.find(({ file }) => file === flow.file)?.name;
    const ofFile = [...library.summaries().keys()].filter((each) => mainFlowOf(each) === name);
    const callers = new Set(ofFile.flatMap((each) => library.callersOf(each)).map(mainFlowOf));
    return sources.filter((source) => source.name !== undefined && callers.has(source.name)).map(({ file }) => file);
  }
}
