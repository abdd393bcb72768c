/** Files that flows name lie in the flow's own directory or below it: nothing else is ever read for them. */
import { readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

export const isInside = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

/** A file's text, when it is there and not a link that leads out of the directory. */
export function readInside(path: string, directory: string): string | undefined {
  try {
    const real = realpathSync(path);
    return isInside(real, realpathSync(directory)) ? readFileSync(real, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file is there and lies in the directory, links followed. */
export function leadsInside(path: string, directory: string): boolean {
  try {
    return isInside(realpathSync(path), realpathSync(directory));
  } catch {
    return false;
  }
}
