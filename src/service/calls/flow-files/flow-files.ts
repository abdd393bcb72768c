/**
 * Flow files, as the studio lists, reads and saves them. Neighbours: `text-files.ts` stores bytes, `find-flows.ts` maps
 * files to flows, `language/flow/flow-library.ts` holds the flows that calls use.
 *
 * Invariants
 *  - A write replaces only the version that its author has read: of two concurrent writes one is refused.
 *  - The next call uses a saved flow that compiles; a draft with errors affects no call.
 *  - Built-in flows are read-only.
 */
import { resolve } from 'node:path';
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import { defined } from '../../../base/core/json.ts';
import { shownIn } from '../../../language/flow/properties-beside.ts';
import { CallError } from '../call-error.ts';
import { createFlowFinder, type FoundFlow } from './find-flows.ts';
import type { CheckFlow, FlowCheck, WorkOptions } from './flow-check.ts';
import type { FlowVersionStore } from './flow-version-store.ts';
import { type Precondition, requireMatch } from './precondition.ts';
import { createFileSaver, type FileSaverParts, mayChange, RefusedFiles, type SaveFiles } from './save-files.ts';
import type { SavedFlow, ShownFlow } from './shown-flow.ts';
import { createTestFiles, type TestFiles } from './test-files.ts';
import { checkedText, createTextFiles } from './text-files.ts';

export interface ListedFlow extends ShownFlow {
  /** Numbers that lead to the flow. */
  numbers: string[];
  /** Count of test files. */
  tests: number;
  steps: number;
  liveCalls: number;
}

export interface SaveOrder {
  text: string;
  precondition: Precondition;
  /** True to save despite errors. */
  isDraft: boolean;
  who: string;
  signal: AbortSignal;
}

export interface FlowFiles {
  list(): Promise<ListedFlow[]>;
  /** Throws `unknown_flow`. */
  find(name: string): Promise<unknown>;
  show(name: string): Promise<ShownFlow>;
  save(name: string, order: SaveOrder): Promise<SavedFlow>;
  /** Saves flows and tests, all or none. Throws `RefusedFiles`. */
  saveFiles: SaveFiles;
  /** Returns the etag of the removed text. */
  remove(name: string, precondition: Precondition): Promise<string>;
  /** Checks a text that would be saved as this flow. */
  check(name: string, text: string, options?: WorkOptions): Promise<FlowCheck>;
  readonly tests: TestFiles;
  /** Runs work that re-reads all flows; saves wait for it. */
  reread<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface FlowFilesParts extends FileSaverParts {
  /** Absolute path. */
  directory: string;
  checkFlow: CheckFlow;
  /** Flow of each live call. */
  liveFlows(): Promise<readonly string[]>;
  versions: Pick<FlowVersionStore, 'keep' | 'end' | 'numberOf'>;
}

export function createFlowFiles(parts: FlowFilesParts): FlowFiles {
  const { directory, flows, checkFlow } = parts;
  const files = createTextFiles(directory);
  const finder = createFlowFinder(directory, files, flows);
  const tests = createTestFiles(directory, files, finder);
  const checks = new Map<string, { key: string; found: FlowCheck }>();
  /** Counts changes: another flow's change can make a cached check outdated. */
  let revision = 0;

  const shown = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
    diagnostics.map((one) => ({ ...one, file: files.nameOf(one.file) ?? one.file }));

  const checkOf = async (path: string, text: string, etag: string): Promise<FlowCheck> => {
    const key = `${etag} ${revision}`;
    const known = checks.get(path);
    if (known?.key === key) return known.found;
    const found = await checkFlow({ file: path, text });
    checks.set(path, { key, found });
    return found;
  };

  /** The workbench checks a text that the library has not compiled. */
  const describe = async (flow: FoundFlow): Promise<ShownFlow> => {
    const { name, path, stored, source, isBuiltIn } = flow;
    const taken = flows.get(name);
    const isKnown = source !== undefined && source.text === stored.text;
    const found = isKnown || isBuiltIn ? { diagnostics: source?.diagnostics ?? [] } : undefined;
    const unreadable: Diagnostic[] =
      stored.problem === undefined
        ? []
        : [
            {
              ...{ severity: 'error', code: 'unreadable', message: stored.problem, file: stored.file },
              line: 1,
              column: 1,
            },
          ];
    const { diagnostics } =
      unreadable.length > 0 ? { diagnostics: unreadable } : (found ?? (await checkOf(path, stored.text, stored.etag)));
    const isTaken = isBuiltIn ? taken?.file === path : source !== undefined && taken === source.flow;
    const { file, etag, text } = stored;
    const isInForce = taken !== undefined && isTaken && (isBuiltIn || isKnown);
    const instead = isTaken ? 'earlier' : 'other';
    return defined<ShownFlow>({
      ...{ name, file, etag, text, isBuiltIn, hash: taken?.hash, diagnostics: shown(shownIn(path, diagnostics)) },
      ...{ versionNumber: taken && parts.versions.numberOf(taken.hash) },
      ...{ isInForce, callsTake: isInForce ? 'file' : taken === undefined ? 'nothing' : instead },
    });
  };

  const requireFlow = async (name: string): Promise<FoundFlow> => {
    const found = await finder.find(name);
    if (!found) throw new CallError('unknown_flow', `there is no flow ${name}`);
    return found;
  };

  const check = async (name: string, text: string, options?: WorkOptions): Promise<FlowCheck> => {
    checkedText(text);
    // Checks are frequent while the user types: if the library knows the file, the directory is not searched.
    const known = flows.sources().find((source) => source.name === name);
    const isOurs = known !== undefined && files.nameOf(resolve(known.file)) !== undefined;
    const file = isOurs ? resolve(known.file) : ((await finder.find(name))?.path ?? (await finder.newPath(name)));
    const found = await checkFlow({ file, text, name }, options);
    return { ...found, diagnostics: shown(found.diagnostics) };
  };

  const written = (): void => {
    finder.forget();
    revision += 1;
  };

  const saveFiles = createFileSaver({
    ...parts,
    ...{ files, finder, tests, shown, written },
    show: async (name) => describe(await requireFlow(name)),
  });

  return {
    tests,
    check,
    reread: (work) => files.inTurn(work).finally(written),
    async list() {
      const found = await finder.list();
      const testsByFlow = await tests.countByFlow();
      const live = Map.groupBy(await parts.liveFlows(), (name) => name);
      const numbers = Map.groupBy(parts.numbers(), ({ flow }) => flow);
      const listed: ListedFlow[] = [];
      for (const each of found) {
        const flow = await describe(each);
        const { name, isInForce } = flow;
        const steps = isInForce ? flows.get(name)?.steps.size : stepsIn(each.stored.text);
        listed.push({
          ...flow,
          numbers: (numbers.get(name) ?? []).map(({ number }) => number),
          tests: testsByFlow.get(name) ?? 0,
          steps: steps ?? 0,
          liveCalls: live.get(name)?.length ?? 0,
        });
      }
      return listed;
    },
    find: requireFlow,
    async show(name) {
      const found = await requireFlow(name);
      if (found.stored.problem !== undefined)
        throw new CallError('text_malformed', `${found.stored.file} cannot be shown: ${found.stored.problem}`);
      return describe(found);
    },
    async save(name, { text, precondition, isDraft, ...author }) {
      try {
        const { flows: saved } = await saveFiles([{ flow: name, text, precondition, isDraft }], author);
        return saved[0]!;
      } catch (error) {
        throw error instanceof RefusedFiles ? error.files[0]!.error : error;
      }
    },
    saveFiles,
    async remove(name, precondition) {
      return files.inTurn(async () => {
        const found = (await finder.list({ isFresh: true })).find((flow) => flow.name === name);
        if (!found) throw new CallError('unknown_flow', `there is no flow ${name}`);
        mayChange(found);
        requireMatch(precondition, found.stored);
        const leading = parts.numbers().filter(({ flow }) => flow === name);
        if (leading.length > 0)
          throw new CallError('in_use', `the number ${leading[0]!.number} leads to the flow ${name}`);
        const callers = flows.sources().filter((one) => one.name !== name && flows.callsOf(one.name).includes(name));
        if (callers.length > 0) throw new CallError('in_use', `the flow ${callers[0]!.name} calls it`);
        await files.remove(files.nameOf(found.path)!);
        written();
        flows.remove(found.path);
        if (!flows.sources().some((one) => one.name === name))
          parts.whenWritable(() => parts.versions.end(name, parts.nowMs()));
        parts.changed(name);
        return found.stored.etag;
      });
    },
  };
}

/** Estimates the steps of a text with errors: keys below `steps`. */
function stepsIn(text: string): number {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^steps[ \t]*:/.test(line));
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^[^\s#]/.test(line));
  const inside = start < 0 ? [] : rest.slice(0, end < 0 ? rest.length : end);
  const indent = inside.map((line) => /^(\s+)[^\s#]/.exec(line)?.[1]).find((found) => found !== undefined);
  return inside.filter(
    (line) => indent !== undefined && line.startsWith(indent) && /^[^\s#-]/.test(line.slice(indent.length)),
  ).length;
}
