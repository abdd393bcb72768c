/** Files into a backup and out of it, readable by their owner alone. */
import { constants } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameBelow } from '../core/data-path.ts';
import { BackupError } from './backup-error.ts';

/** A hard link is not possible between file systems, to files of others, and on some file systems not at all. */
const NOT_LINKED = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** As another name of what never changes, of `earlier` where that is a copy on the same file system; else as a copy. */
export async function linkOrCopy(from: string, to: string, earlier?: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (await linked(from, to)) return;
  const isKept = earlier !== undefined && (await linked(earlier, to).catch(() => false));
  if (isKept) return;
  await copy(from, to);
  await sync(to);
}

/** Whether that is possible. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NOT_LINKED.has(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

/** File systems that can share the bytes do. */
export async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

/** Of a file or a folder: it is on the disk when it resolves. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What is in a folder, which may not be there yet. Throws a `BackupError`. */
export const namesIn = (folder: string, hint: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new BackupError(`${folder} is not a folder that can be read`, hint, error);
  });

/** Names of the files in a folder of the directory, and below it; none where it is not there. */
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
