/** Turns what was given on the command line, files and folders, into the files that are meant. */

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isTestFile } from '../flow/flow-file.ts';
import { UsageError } from './terminal.ts';

const SKIPPED = new Set(['node_modules', 'data', 'coverage']);

const KINDS = {
  test: { isNamed: isTestFile, noun: 'test', ending: '.test.yaml' },
  journal: { isNamed: (name: string) => /\.journal\.jsonl?$/.test(name), noun: 'journal', ending: '.journal.json' },
} as const;

/**
 * A file is taken as it is; a folder stands for all files of the kind below it. Nothing found is a mistake in the
 * command, not an empty success.
 */
export function findFiles(paths: readonly string[], kind: keyof typeof KINDS): string[] {
  const { isNamed, noun, ending } = KINDS[kind];
  const found = paths.flatMap((path) => {
    if (statOf(path).isDirectory()) return filesBelow(path).filter((file) => isNamed(file));
    // A journal may be kept under any name.
    if (kind === 'test' && !isNamed(path)) {
      throw new UsageError(
        `${path} is not a test`,
        `the names of tests end with ${ending}; a folder stands for all in it`,
      );
    }
    return [path];
  });
  if (found.length === 0) {
    throw new UsageError(`no ${noun} found in ${paths.join(', ')}`, `the names of ${noun}s end with ${ending}`);
  }
  return [...new Set(found)].sort();
}

/** Whether there is any. */
export const hasFiles = (paths: readonly string[], kind: keyof typeof KINDS): boolean =>
  paths.some((path) => (isFolder(path) ? filesBelow(path) : [path]).some((file) => KINDS[kind].isNamed(file)));

/** Of what has to be there. */
export function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`there is no ${path}`, `looked from ${process.cwd()}`);
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
  if (!isFolder(path)) throw new UsageError(`there is no folder ${path}`, `looked from ${process.cwd()}`);
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

/** The shortest way to write a file's path from here. */
export function displayPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near !== '' && !near.startsWith('..') ? near : file;
}
