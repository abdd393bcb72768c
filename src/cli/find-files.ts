/** Expands the files and folders of a command line to files. */
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isTestFile } from '../language/flow/flow-file.ts';
import { UsageError } from './terminal.ts';

const SKIPPED = new Set(['node_modules', 'data', 'coverage']);

const KINDS = {
  test: { isNamed: isTestFile, noun: 'test', ending: '.test.yaml' },
  journal: { isNamed: (name: string) => /\.journal\.jsonl?$/.test(name), noun: 'journal', ending: '.journal.json' },
} as const;

/**
 * A file is used as given; a folder stands for all matching files below it. An empty result is an error, so that a
 * command never succeeds without doing anything.
 */
export function findFiles(paths: readonly string[], kind: keyof typeof KINDS): string[] {
  const { isNamed, noun, ending } = KINDS[kind];
  const found = paths.flatMap((path) => {
    if (statOf(path).isDirectory()) return filesBelow(path).filter((file) => isNamed(file));
    // Journal files may have any name.
    if (kind === 'test' && !isNamed(path)) {
      throw new UsageError(`${path} is not a test`, `use the name of a test, which ends with ${ending}, or a folder`);
    }
    return [path];
  });
  if (found.length === 0) {
    throw new UsageError(`no ${noun} found in ${paths.join(', ')}`, `the names of ${noun}s end with ${ending}`);
  }
  return [...new Set(found)].sort();
}

/** True if at least one file matches. */
export const hasFiles = (paths: readonly string[], kind: keyof typeof KINDS): boolean =>
  paths.some((path) => (isFolder(path) ? filesBelow(path) : [path]).some((file) => KINDS[kind].isNamed(file)));

/** Status of a required path. Throws a `UsageError` if it does not exist. */
export function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new UsageError(`file or folder not found: ${path}`, `the current directory is ${process.cwd()}`);
  return stats;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

export function requireFolder(path: string): void {
  if (!isFolder(path)) throw new UsageError(`folder not found: ${path}`, `the current directory is ${process.cwd()}`);
}

export const readText = (file: string): string => readBytes(file).toString('utf8');

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code);
    throw new UsageError(`cannot read ${file}: ${why}`);
  }
}

/** Shortest path of a file relative to the working directory. */
export function displayPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near !== '' && !near.startsWith('..') ? near : file;
}
