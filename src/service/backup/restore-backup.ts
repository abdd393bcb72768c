/**
 * Restores a data directory from a backup. Neighbours: `manifest.ts`, and
 * `service/store/sqlite/open-data-directory.ts`, which refuses to start a service on an incomplete restore.
 * Invariants
 *  - nothing is overwritten: the data directory must be new or empty, and no service can start in it during the
 *    restore;
 *  - if any file differs from the manifest, nothing is restored;
 *  - files are copied, not linked, so that changes of the restored data do not affect the backup.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { version } from '../../base/version.ts';
import { lastMigration } from '../store/sqlite/database.ts';
import { LOCK, RESTORING } from '../store/sqlite/open-data-directory.ts';
import { claimDataDirectory, DataInUse } from '../store/sqlite/ownership.ts';
import { BackupError, inWords } from './backup-error.ts';
import { copy, namesIn, sync } from './keep-file.ts';
import {
  type BackupFile,
  DATABASE,
  differenceOf,
  FOLDERS,
  type Manifest,
  outerDifferenceOf,
  readManifest,
} from './manifest.ts';

export interface RestoreOrder {
  from: string;
  dataDirectory: string;
}

/** Throws a `BackupError`. */
export async function restoreBackup(order: RestoreOrder): Promise<Manifest> {
  const [from, to] = [resolve(order.from), resolve(order.dataDirectory)];
  const manifest = await readManifest(from);
  refuseNewer(manifest);
  await mayRestore(to);
  try {
    await mkdir(to, { recursive: true, mode: 0o700 });
    const release = claim(to);
    try {
      await fill(to, from, manifest);
    } finally {
      release();
    }
  } catch (error) {
    throw inWords(error, `the data could not be restored to ${to}`);
  }
  return manifest;
}

function refuseNewer({ version: theirs, migration }: Manifest): void {
  if (migration <= lastMigration()) return;
  throw new BackupError(
    `the backup is of version ${theirs}, and this is ${version()}, which does not know its database`,
    `install Callweave ${theirs} or later, and restore with that`,
  );
}

async function mayRestore(to: string): Promise<void> {
  const inside = await namesIn(to, 'name the data directory by --to');
  // The leftovers of an interrupted restore are overwritten.
  const data = inside.filter((name) => name !== RESTORING && !name.startsWith(LOCK));
  if (data.length === 0) return;
  if (inside.includes(LOCK)) claim(to)();
  throw new BackupError(
    `${to} is not empty`,
    `nothing is replaced: move it away first, such as  mv ${to} ${to}.before`,
  );
}

function claim(directory: string): () => void {
  try {
    return claimDataDirectory(join(directory, LOCK));
  } catch (error) {
    if (!(error instanceof DataInUse)) throw error;
    throw new BackupError(`a service works with ${directory}`, 'stop it first, or restore elsewhere by --to', error);
  }
}

async function fill(to: string, from: string, { files }: Manifest): Promise<void> {
  const work = join(to, RESTORING);
  try {
    await rm(work, { recursive: true, force: true });
    for (const file of files) {
      const difference = await restored(from, work, file);
      if (difference !== undefined) throw new BackupError(`the backup is damaged: ${difference}`, 'take another one');
    }
    const made = new Set(await readdir(work));
    // After a power failure, the other files are restored again; but a partly written database must not seem complete.
    await sync(join(work, DATABASE));
    // The database is moved last, because a directory without it does not count as data of a service.
    for (const name of [...FOLDERS, DATABASE]) if (made.has(name)) await rename(join(work, name), join(to, name));
    await sync(to);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns a difference from the manifest. The first check precedes the copy, because a symbolic link would be followed.
 */
async function restored(from: string, work: string, file: BackupFile): Promise<string | undefined> {
  const difference = await outerDifferenceOf(from, file);
  if (difference !== undefined) return difference;
  await copy(join(from, file.name), join(work, file.name));
  return differenceOf(work, file);
}
