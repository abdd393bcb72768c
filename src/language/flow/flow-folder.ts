/** Files of a folder that may be flows, and their texts. `flow-file.ts` decides which files are flows. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programFile } from '../../base/core/program-files.ts';
import { DOCUMENT_LIMITS } from '../../base/schema/document.ts';
import { mayHoldFlow } from './flow-file.ts';
import { isInside, leadsInside } from './path-containment.ts';

const MAX_FILES = 2000;
const MAX_DEPTH = 5;
/** Folders that are not searched for flows or tests. */
export const OTHER_FOLDERS: ReadonlySet<string> = new Set(['prompts', 'schemas', 'node_modules']);

/** Flows that the studio offers to copy. They count as flows only if the load names them or their folder. */
export const TEMPLATE_FLOWS = programFile('flows/templates');

/** Files of a directory and its sub-directories that may be flows, without the templates of the studio. */
export function flowFiles(directory: string): string[] {
  const files = filesInFolder(directory, mayHoldFlow);
  return isInside(resolve(directory), TEMPLATE_FLOWS)
    ? files
    : files.filter((file) => !isInside(resolve(file), TEMPLATE_FLOWS));
}

/** Files with matching names, up to `MAX_FILES`. */
export function filesInFolder(directory: string, isMeant: (name: string) => boolean): string[] {
  const files: string[] = [];
  const visit = (at: string, depth: number): void => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name))) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !entry.name.startsWith('.') && !OTHER_FOLDERS.has(entry.name)) visit(path, depth + 1);
      } else if (isMeant(entry.name) && files.length < MAX_FILES && leadsInside(path, directory)) files.push(path);
    }
  };
  visit(directory, 0);
  return files;
}

export function readText(file: string): { text: string; problem?: undefined } | { text?: undefined; problem: string } {
  try {
    const stats = statSync(file);
    // Reading a named pipe would block until it has a writer.
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size > DOCUMENT_LIMITS.bytes)
      return { problem: `the file is larger than ${DOCUMENT_LIMITS.bytes} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } catch {
    return { problem: 'the file cannot be read' };
  }
}
