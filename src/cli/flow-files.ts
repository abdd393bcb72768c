/**
 * Compiles the flows that were named on the command line, each with its neighbours in sight, so that subflows are known.
 * One rule for all commands: a folder that was named is searched as a whole, as the service searches its folder of flows;
 * of a file it is the file's own folder. Then come the flows that the service has built in.
 */
import { basename, dirname, join, resolve } from 'node:path';
import type { ConfiguredFlowNames } from '../config.ts';
import { systemClock } from '../core/clock.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { defined } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { isInside } from '../flow/contained-files.ts';
import { isBroadcastFile, isFlowByName, isOtherDocument, isTestFile } from '../flow/flow-file.ts';
import { BUILT_IN_FLOWS, FlowLibrary } from '../flow/flow-library.ts';
import { unusedSounds } from '../flow/unused-sounds.ts';
import { loadDocument } from '../schema/load.ts';
import { verbs } from '../steps/index.ts';
import { isFile, isFolder, readText, requireFolder, statOf } from './find-files.ts';
import { UsageError } from './terminal.ts';

export interface CheckedFile {
  file: string;
  flow?: CompiledFlow;
  /** Those under `flows` of this file. */
  locals: readonly CompiledFlow[];
  diagnostics: Diagnostic[];
}

const libraries = new Map<string, FlowLibrary>();

/** Files were changed: they are read again. */
export const forgetLibraries = (): void => libraries.clear();

/** The flows of a folder, as seen from the working folder, and those that come with the service; read once. */
export function libraryOf(
  folder: string,
  named: readonly string[] = [],
  names: ConfiguredFlowNames | undefined = undefined,
): FlowLibrary {
  const key = JSON.stringify([process.cwd(), folder, named, names]);
  const known = libraries.get(key);
  if (known !== undefined) return known;
  requireFolder(folder);
  const library = new FlowLibrary(verbs, { ...names, now: () => systemClock.now() }).load(folder, named).loadBuiltIn();
  libraries.set(key, library);
  return library;
}

/** Those that come with the service alone. */
export const noFlows = (): FlowLibrary => new FlowLibrary(verbs).loadBuiltIn();

/** The flows that a file sees which was found by these paths: where several have a name, the one beside the file. */
export function libraryAround(file: string, paths: readonly string[], names?: ConfiguredFlowNames): FlowLibrary {
  const isAround = (path: string): boolean => isFolder(path) && isInside(resolve(file), resolve(path));
  return libraryOf(paths.find(isAround) ?? dirname(file), [], names);
}

/** Every flow in `paths`, files and folders; a path without any is a mistake in the command. */
export function compileFiles(paths: readonly string[], names?: ConfiguredFlowNames): CheckedFile[] {
  const found = new Map<string, CheckedFile>();
  for (const path of paths) {
    const stats = statOf(path);
    if (stats.isFile()) refuseOther(path);
    const checked = stats.isDirectory() ? checkWholeFolder(path, names) : [checkFile(path, names)];
    if (checked.length === 0)
      throw new UsageError(`no flow found in ${path}`, 'flows are files that end with .flow.yaml');
    for (const each of checked) found.set(each.file, each);
  }
  return [...found.values()].sort((a, b) => a.file.localeCompare(b.file));
}

/** The flows of `paths` without those of the service, and the folders that have their tests. */
export function flowsToTest(paths: readonly string[]): { flows: CompiledFlow[]; folders: string[] } {
  const flows = compileFiles(paths).flatMap(({ flow, locals }) =>
    flow && !isInside(resolve(flow.file), BUILT_IN_FLOWS) ? [flow, ...locals] : [],
  );
  const folders = [...new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))))];
  return { flows, folders };
}

/** What was meant for another command, or is neither YAML nor JSON, is not a flow with many mistakes. */
function refuseOther(path: string): void {
  if (isTestFile(path)) throw new UsageError(`${path} is a test`, `callweave test ${path}`);
  if (isBroadcastFile(basename(path)))
    throw new UsageError(`${path} belongs to a broadcast, and is not a flow`, 'callweave rehearse checks broadcasts');
  if (!/\.(ya?ml|json)$/.test(path))
    throw new UsageError(`${path} is not a flow`, 'flows are files that end with .flow.yaml');
  if (isFlowByName(basename(path))) return;
  const { document } = loadDocument(readText(path), path);
  if (document === undefined || !isOtherDocument(document.value)) return;
  const hint = 'a flow has the keys flow, start and steps; callweave import takes those of other systems';
  throw new UsageError(`${path} is not a flow`, hint);
}

/** All flows of a folder show what none of them uses. */
function checkWholeFolder(folder: string, names?: ConfiguredFlowNames): CheckedFile[] {
  const sources = libraryOf(folder, [], names).sources();
  const unused = Map.groupBy(unusedSounds(sources, verbs), ({ file }) => file);
  return checkFolder(folder, [], names).map((checked) => ({
    ...checked,
    diagnostics: [...checked.diagnostics, ...(unused.get(checked.file) ?? [])],
  }));
}

function checkFolder(folder: string, named: readonly string[] = [], names?: ConfiguredFlowNames): CheckedFile[] {
  const library = libraryOf(folder, named, names);
  const flowNames = library.names().filter((name) => isBelow(library.get(name)!.file, folder));
  const flows = Map.groupBy(
    flowNames.map((name) => library.get(name)!),
    ({ file }) => file,
  );
  // What stands beside a flow is judged with it.
  const judgedWith = new Map(
    library.sources().flatMap(({ file, diagnostics }) => diagnostics.map((each) => [each, file])),
  );
  const found = Map.groupBy(library.diagnostics(), (each) => judgedWith.get(each) ?? each.file);
  const files = new Set([...flows.keys(), ...[...found.keys()].filter((file) => isBelow(file, folder))]);
  return [...files].map((file) => {
    // A local flow comes after the one of its file: its name begins with that of the other.
    const [flow, ...locals] = flows.get(file) ?? [];
    return defined<CheckedFile>({ file, flow, locals, diagnostics: found.get(file) ?? [] });
  });
}

/** The flow of one file, whatever its name, with its neighbours in sight. */
export function checkFile(file: string, names?: ConfiguredFlowNames): CheckedFile {
  const isThis = (candidate: CheckedFile): boolean => candidate.file === join(file);
  const known = checkFolder(dirname(file), [], names).find(isThis);
  if (known !== undefined) return known;
  // Says why it cannot be read.
  if (!isFile(file)) readText(file);
  return checkFolder(dirname(file), [file], names).find(isThis) ?? { file, locals: [], diagnostics: [] };
}

const isBelow = (file: string, folder: string): boolean =>
  !file.startsWith(BUILT_IN_FLOWS) && (folder === '.' || join(file).startsWith(join(folder)));
