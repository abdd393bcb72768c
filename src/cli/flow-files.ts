/** Compiles the flows that were named on the command line, each with its neighbours in sight, so that subflows are known. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Diagnostic } from '../core/diagnostic.ts';
import { compileFlow } from '../flow/compile.ts';
import { BUILT_IN_FLOWS, FlowLibrary, isBroadcastFile } from '../flow/library.ts';
import type { CompiledFlow } from '../flow/types.ts';
import { verbs } from '../steps/index.ts';
import { readText } from './find-files.ts';
import { UsageError } from './terminal.ts';

export interface CheckedFile {
  file: string;
  flow?: CompiledFlow;
  diagnostics: Diagnostic[];
}

const libraries = new Map<string, FlowLibrary>();

/** The flows of a folder, as seen from the working folder, and those that come with the service; read once. */
export function libraryOf(folder: string): FlowLibrary {
  const key = `${process.cwd()}\n${folder}`;
  const known = libraries.get(key);
  if (known !== undefined) return known;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`there is no folder ${folder}`, `looked from ${process.cwd()}`);
  }
  const library = new FlowLibrary(verbs).load(folder).loadBuiltIn();
  libraries.set(key, library);
  return library;
}

/** Every flow in `paths`, files and folders; a path without any is a mistake in the command. */
export function compileFiles(paths: readonly string[]): CheckedFile[] {
  const found = new Map<string, CheckedFile>();
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new UsageError(`there is no ${path}`, `looked from ${process.cwd()}`);
    if (stats.isFile()) refuseOther(path);
    const checked = stats.isDirectory() ? checkFolder(path) : [checkFile(path)];
    if (checked.length === 0)
      throw new UsageError(`no flow found in ${path}`, 'flows are files that end with .flow.yaml');
    for (const each of checked) found.set(each.file, each);
  }
  return [...found.values()].sort((a, b) => a.file.localeCompare(b.file));
}

/** What was meant for another command, and what is no text of ours, is no flow with many mistakes. */
function refuseOther(path: string): void {
  if (/\.test\.(ya?ml|json)$/.test(path)) throw new UsageError(`${path} is a test`, `callweave test ${path}`);
  if (isBroadcastFile(basename(path)))
    throw new UsageError(`${path} belongs to a broadcast, and is no flow`, 'callweave rehearse checks broadcasts');
  if (!/\.(ya?ml|json)$/.test(path))
    throw new UsageError(`${path} is no flow`, 'flows are files that end with .flow.yaml');
}

function checkFolder(folder: string): CheckedFile[] {
  const library = libraryOf(folder);
  const files = new Map<string, CheckedFile>();
  const entry = (file: string): CheckedFile => {
    const known = files.get(file) ?? { file, diagnostics: [] };
    files.set(file, known);
    return known;
  };
  for (const name of library.names()) {
    const flow = library.get(name)!;
    if (isBelow(flow.file, folder)) entry(flow.file).flow = flow;
  }
  for (const diagnostic of library.diagnostics()) {
    if (isBelow(diagnostic.file, folder)) entry(diagnostic.file).diagnostics.push(diagnostic);
  }
  return [...files.values()];
}

/** The flow of one file, with its neighbours in sight. */
export function checkFile(file: string): CheckedFile {
  const known = checkFolder(dirname(file)).find((candidate) => candidate.file === join(file));
  if (known !== undefined) return known;
  return { file, ...compileFlow(readText(file), file, verbs) };
}

const isBelow = (file: string, folder: string): boolean =>
  !file.startsWith(BUILT_IN_FLOWS) && (folder === '.' || join(file).startsWith(join(folder)));
