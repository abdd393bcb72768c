/**
 * Compiles the flows named on the command line, with the other flows of their folder, so that subflows are resolved.
 * The rule for all commands: a named folder is searched completely, as the service searches its flow folder; for a
 * file, its own folder is searched. Built-in flows of the service are always available.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '../base/core/clock.ts';
import type { Diagnostic } from '../base/core/diagnostic.ts';
import { defined } from '../base/core/json.ts';
import { loadDocument } from '../base/schema/load.ts';
import type { ConfiguredFlowNames } from '../config.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { isBroadcastFile, isFlowByName, isOtherDocument, isTestFile } from '../language/flow/flow-file.ts';
import { BUILT_IN_FLOWS, FlowLibrary } from '../language/flow/flow-library.ts';
import { isInside } from '../language/flow/path-containment.ts';
import { truncatedSounds, unusedSounds } from '../language/flow/unused-sounds.ts';
import { probeAudioFile } from '../media/speech/audio-file.ts';
import { AudioError } from '../media/telephony/audio.ts';
import { verbs } from '../verbs/steps.ts';
import { isFile, isFolder, readText, requireFolder, statOf } from './find-files.ts';
import { UsageError } from './terminal.ts';

export interface CheckedFile {
  file: string;
  flow?: CompiledFlow;
  /** Flows under `flows` of this file. */
  locals: readonly CompiledFlow[];
  diagnostics: Diagnostic[];
}

const libraries = new Map<string, FlowLibrary>();

/** Clears the cache after files were changed. */
export const forgetLibraries = (): void => libraries.clear();

/** Library with the flows of a folder and the built-in flows. Cached; paths are relative to the working directory. */
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

/** Library with only the built-in flows. */
export const noFlows = (): FlowLibrary => new FlowLibrary(verbs).loadBuiltIn();

/**
 * Library for a file that was found by these paths. If several flows have the same name, the one next to the file is used.
 */
export function libraryAround(file: string, paths: readonly string[], names?: ConfiguredFlowNames): FlowLibrary {
  const isAround = (path: string): boolean => isFolder(path) && isInside(resolve(file), resolve(path));
  return libraryOf(paths.find(isAround) ?? dirname(file), [], names);
}

/** Compiles all flows in `paths`. A path without flows is an error. */
export function compileFiles(paths: readonly string[], names?: ConfiguredFlowNames): CheckedFile[] {
  const found = new Map<string, CheckedFile>();
  for (const path of paths) {
    const stats = statOf(path);
    if (stats.isFile()) refuseOther(path);
    const checked = stats.isDirectory() ? checkWholeFolder(path, names) : [checkFile(path, names)];
    if (checked.length === 0)
      throw new UsageError(`no flow found in ${path}`, 'the names of flow files end with .flow.yaml');
    for (const each of checked) found.set(each.file, each);
  }
  return [...found.values()].sort((a, b) => a.file.localeCompare(b.file));
}

/** Flows of `paths` without built-in ones, and the folders with their tests. */
export function flowsToTest(paths: readonly string[]): { flows: CompiledFlow[]; folders: string[] } {
  const flows = compileFiles(paths).flatMap(({ flow, locals }) =>
    flow && !isInside(resolve(flow.file), BUILT_IN_FLOWS) ? [flow, ...locals] : [],
  );
  const folders = [...new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))))];
  return { flows, folders };
}

/** Rejects files of other kinds with a hint, instead of reporting many errors in a flow. */
function refuseOther(path: string): void {
  if (isTestFile(path)) throw new UsageError(`${path} is a test`, (program) => `${program} test ${path}`);
  if (isBroadcastFile(basename(path)))
    throw new UsageError(
      `${path} belongs to a broadcast, and is not a flow`,
      'check broadcasts with callweave rehearse',
    );
  if (!/\.(ya?ml|json)$/.test(path))
    throw new UsageError(`${path} is not a flow`, 'the names of flow files end with .flow.yaml');
  if (isFlowByName(basename(path))) return;
  const { document } = loadDocument(readText(path), path);
  if (document === undefined || !isOtherDocument(document.value)) return;
  throw new UsageError(
    `${path} is not a flow`,
    (program) =>
      `a flow has the keys flow, start and steps; to convert a flow of another system, use ${program} import`,
  );
}

/** Checks a complete folder, which also reports unused and truncated sound files. */
function checkWholeFolder(folder: string, names?: ConfiguredFlowNames): CheckedFile[] {
  const sources = libraryOf(folder, [], names).sources();
  const found = [...unusedSounds(sources, verbs), ...truncatedSounds(sources, soundTruncation)];
  const ofSounds = Map.groupBy(found, ({ file }) => file);
  return checkFolder(folder, [], names).map((checked) => ({
    ...checked,
    diagnostics: [...checked.diagnostics, ...(ofSounds.get(checked.file) ?? [])],
  }));
}

/** Undefined also for a file that no call could play. */
function soundTruncation(file: string): string | undefined {
  try {
    return probeAudioFile(file).truncation;
  } catch (error) {
    if (error instanceof AudioError) return undefined;
    throw error;
  }
}

function checkFolder(folder: string, named: readonly string[] = [], names?: ConfiguredFlowNames): CheckedFile[] {
  const library = libraryOf(folder, named, names);
  const flowNames = library.names().filter((name) => isBelow(library.get(name)!.file, folder));
  const flows = Map.groupBy(
    flowNames.map((name) => library.get(name)!),
    ({ file }) => file,
  );
  // Diagnostics of files next to a flow are reported with the flow.
  const judgedWith = new Map(
    library.sources().flatMap(({ file, diagnostics }) => diagnostics.map((each) => [each, file])),
  );
  const found = Map.groupBy(library.diagnostics(), (each) => judgedWith.get(each) ?? each.file);
  const files = new Set([...flows.keys(), ...[...found.keys()].filter((file) => isBelow(file, folder))]);
  return [...files].map((file) => {
    // The main flow comes first, because names of local flows start with its name.
    const [flow, ...locals] = flows.get(file) ?? [];
    return defined<CheckedFile>({ file, flow, locals, diagnostics: found.get(file) ?? [] });
  });
}

/** Compiles the flow of one file, whatever its name, with the other flows of its folder. */
export function checkFile(file: string, names?: ConfiguredFlowNames): CheckedFile {
  const isThis = (candidate: CheckedFile): boolean => candidate.file === join(file);
  const known = checkFolder(dirname(file), [], names).find(isThis);
  if (known !== undefined) return known;
  // Throws the reason why the file cannot be read.
  if (!isFile(file)) readText(file);
  return checkFolder(dirname(file), [file], names).find(isThis) ?? { file, locals: [], diagnostics: [] };
}

const isBelow = (file: string, folder: string): boolean =>
  !file.startsWith(BUILT_IN_FLOWS) && (folder === '.' || join(file).startsWith(join(folder)));
