/** Reads files that flows name, only inside the flow's own directory and its sub-directories. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

export const isInside = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

/** Text of a file; undefined if it does not exist or is a link that leaves the directory. */
export function readInside(path: string, directory: string): string | undefined {
  // Most files that are looked for do not exist, and an error takes longer than a look.
  if (!existsSync(path)) return undefined;
  try {
    const real = realpathSync(path);
    return isInside(real, realpathSync(directory)) ? readFileSync(real, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** True if a file exists and is inside the directory after resolving symbolic links. */
export function leadsInside(path: string, directory: string): boolean {
  try {
    return isInside(realpathSync(path), realpathSync(directory));
  } catch {
    return false;
  }
}
