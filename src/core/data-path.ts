/**
 * Files that are kept by a name below a directory. Names come from a database that may have been copied, restored or
 * edited: one that leads out of the directory is refused.
 */
import { lstat, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Where the file of this name is; undefined for a name that leads out, and for the directory itself. */
export function pathBelow(directory: string, name: string): string | undefined {
  if (name.includes('\0') || isAbsolute(name)) return undefined;
  const path = resolve(directory, name);
  return nameBelow(directory, path) === undefined ? undefined : path;
}

/** The name by which a file below the directory is kept; undefined where it is elsewhere. */
export function nameBelow(directory: string, path: string): string | undefined {
  const name = relative(resolve(directory), resolve(path));
  if (name === '' || name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name)) return undefined;
  return name.split(sep).join('/');
}

/**
 * Whether the file is below the directory also when every symbolic link on the way is followed. `gone` when it is not
 * there at all.
 */
export async function resolvesBelow(directory: string, path: string): Promise<boolean | 'gone'> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return false;
    const [root, folder] = await Promise.all([realpath(directory), realpath(dirname(path))]);
    return nameBelow(root, join(folder, basename(path))) !== undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
    throw error;
  }
}

/** Deletes the file of this name. False: it leads out of the directory, and is left as it is. */
export async function removeBelow(directory: string, name: string): Promise<boolean> {
  const path = pathBelow(directory, name);
  if (path === undefined) return false;
  const isOurs = await resolvesBelow(directory, path);
  if (isOurs === true) await rm(path, { force: true });
  return isOurs !== false;
}
