/**
 * Files that are stored by name below a directory. The names come from a database that may have been copied, restored
 * or edited: a name that leads out of the directory is refused (path traversal).
 */
import { lstat, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Path of the file with this name. Undefined if the name leads out of the directory or is the directory itself. */
export function pathBelow(directory: string, name: string): string | undefined {
  if (name.includes('\0') || isAbsolute(name)) return undefined;
  const path = resolve(directory, name);
  return nameBelow(directory, path) === undefined ? undefined : path;
}

/** The name under which a file below the directory is stored. Undefined if the file is elsewhere. */
export function nameBelow(directory: string, path: string): string | undefined {
  const name = relative(resolve(directory), resolve(path));
  if (name === '' || name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name)) return undefined;
  return name.split(sep).join('/');
}

/**
 * True if the file is below the directory after resolution of all symbolic links in its path. `gone` if the file does
 * not exist.
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

/** Deletes the file with this name. Returns false, and deletes nothing, if the name leads out of the directory. */
export async function removeBelow(directory: string, name: string): Promise<boolean> {
  const path = pathBelow(directory, name);
  if (path === undefined) return false;
  const isOurs = await resolvesBelow(directory, path);
  if (isOurs === true) await rm(path, { force: true });
  return isOurs !== false;
}
