/** Files of folders, as tests look at them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all files, in order; `skipped`: names that are not looked into. */
export const filesBelow = (folder: string, skipped: ReadonlySet<string> = new Set()): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !skipped.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path, skipped) : [path];
    })
    .sort();
