/** File operations for backups. The copies are readable by their owner only. */
import { constants } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameBelow } from '../../base/core/data-path.ts';
import { BackupError } from './backup-error.ts';

/**
 * Error codes if a hard link is not possible: across file systems, to files of other users, or on file systems without
 * links.
 */
const NOT_LINKED = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Creates a hard link to `from`, whose content never changes, or to its copy in `earlier` if that is on the same file
 * system; otherwise copies the file.
 */
export async function linkOrCopy(from: string, to: string, earlier?: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (await linked(from, to)) return;
  const isKept = earlier !== undefined && (await linked(earlier, to).catch(() => false));
  if (isKept) return;
  await copy(from, to);
  await sync(to);
}

/** Returns false if a hard link is not possible. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NOT_LINKED.has(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

/** Copies a file, as a reflink if the file system supports it. */
export async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

/** Flushes a file or a folder to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Names in a folder; empty if it does not exist. Throws a `BackupError`. */
export const namesIn = (folder: string, hint: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new BackupError(`${folder} is not a folder that can be read`, hint, error);
  });

/** Names of all files in a folder of the directory, recursively; empty if it does not exist. */
export async function filesIn(directory: string, folder: string): Promise<string[]> {
  const found = await readdir(join(directory, folder), { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    },
  );
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => nameBelow(directory, join(entry.parentPath, entry.name))!)
    .sort();
}
