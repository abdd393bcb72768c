/**
 * Copies the data of a running or stopped service into a new folder: a consistent snapshot of the database, and every
 * file that belongs to it. Neighbours: `manifest.ts` defines the format of a backup, `service/store/sqlite/snapshot.ts`
 * copies the database.
 * Invariants
 *  - the database is copied first: files that it marks as complete are complete on the disk, so that the backup
 *    contains no partial recording;
 *  - the folder gets its final name last, so that an interrupted backup is never mistaken for a complete one;
 *  - the data directory is only read.
 */
import { lstat, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { nameBelow, pathBelow } from '../../base/core/data-path.ts';
import { version } from '../../base/version.ts';
import { ARCHIVES_FOLDER, filesOf } from '../../media/rooms/archive/archive.ts';
import { copyDatabase, readSnapshot, type Snapshot } from '../store/sqlite/snapshot.ts';
import { BackupError, inWords } from './backup-error.ts';
import { filesIn, linkOrCopy, namesIn, sync } from './keep-file.ts';
import {
  type BackupFile,
  DATABASE,
  FOLDERS,
  MANIFEST,
  type Manifest,
  manifestText,
  readManifest,
  sha256Of,
} from './manifest.ts';

export interface BackupOrder {
  dataDirectory: string;
  /** Must not exist or be empty. */
  to: string;
  /**
   * Earlier backup: unchanged files are not read again, and take no additional space if it is on the same file system.
   */
  previous?: string | undefined;
  nowMs: number;
}

/** Throws a `BackupError`. */
export async function takeBackup(order: BackupOrder): Promise<Manifest> {
  const [dataDirectory, to] = [resolve(order.dataDirectory), resolve(order.to)];
  await mayTake(dataDirectory, to);
  const previous = order.previous === undefined ? undefined : await earlierFiles(resolve(order.previous));
  const partial = `${to}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true, mode: 0o700 });
    await fill(partial, { dataDirectory, previous, nowMs: order.nowMs });
    await rename(partial, to);
    await sync(dirname(to));
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw inWords(error, `the backup could not be written to ${to}`);
  }
  return readManifest(to);
}

async function mayTake(dataDirectory: string, to: string): Promise<void> {
  if (!(await exists(join(dataDirectory, DATABASE)))) {
    const hint = 'start the service once, or name its configuration with --config';
    throw new BackupError(`there are no data in ${dataDirectory}`, hint);
  }
  if (to === dataDirectory || nameBelow(dataDirectory, to) !== undefined) {
    throw new BackupError(`${to} is in the data directory`, 'name a folder elsewhere, best on another disk');
  }
  const inside = await namesIn(to, 'name a new folder');
  if (inside.length > 0) throw new BackupError(`${to} is not empty`, 'name a new folder for each backup');
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

interface Earlier {
  directory: string;
  files: ReadonlyMap<string, BackupFile>;
}

async function earlierFiles(directory: string): Promise<Earlier> {
  const { files } = await readManifest(directory);
  return { directory, files: new Map(files.map((file) => [file.name, file])) };
}

interface Source extends Pick<BackupOrder, 'dataDirectory' | 'nowMs'> {
  previous: Earlier | undefined;
}

async function fill(directory: string, source: Source): Promise<void> {
  const database = join(directory, DATABASE);
  await copyDatabase(join(source.dataDirectory, DATABASE), database);
  await sync(database);
  const { recordings, archives, ...counts } = readSnapshot(database);
  const files = [await described(directory, DATABASE)];
  const missing: string[] = [];
  for (const name of await namesOf({ recordings, archives }, source.dataDirectory)) {
    const file = await keep(name, directory, source);
    if (file) files.push(file);
    else missing.push(name);
  }
  const at = new Date(source.nowMs).toISOString();
  const manifest = join(directory, MANIFEST);
  await writeFile(manifest, manifestText({ version: version(), at, ...counts, missing, files }), { mode: 0o600 });
  await sync(manifest);
}

/** Recordings that the database references, and all files of the other folders. */
async function namesOf(
  { recordings, archives }: Pick<Snapshot, 'recordings' | 'archives'>,
  dataDirectory: string,
): Promise<string[]> {
  const others = FOLDERS.filter((folder) => folder !== 'recordings');
  const named = [
    ...recordings,
    ...archives.flatMap((archive) => filesOf(archive).map((file) => `${ARCHIVES_FOLDER}/${archive.confNum}/${file}`)),
  ];
  // Rows of older versions contain paths, which may lead out of the directory.
  const ours = named.flatMap((given) => {
    const name = isAbsolute(given) ? nameBelow(dataDirectory, given) : given;
    return name !== undefined && pathBelow(dataDirectory, name) !== undefined ? name : [];
  });
  return [...ours, ...(await Promise.all(others.map((folder) => filesIn(dataDirectory, folder)))).flat()];
}

/** Undefined if the file does not exist, because it was deleted or nothing was recorded. */
async function keep(
  name: string,
  directory: string,
  { dataDirectory, previous }: Source,
): Promise<BackupFile | undefined> {
  const from = join(dataDirectory, name);
  try {
    const found = await lstat(from);
    if (!found.isFile()) return undefined;
    const before = previous?.files.get(name);
    const isSame = before?.bytes === found.size && before.modifiedMs === found.mtimeMs;
    await linkOrCopy(from, join(directory, name), isSame ? join(previous!.directory, name) : undefined);
    return isSame ? before : await described(directory, name, found.mtimeMs);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function described(directory: string, name: string, modifiedMs?: number): Promise<BackupFile> {
  const path = join(directory, name);
  const { size, mtimeMs } = await stat(path);
  return { name, bytes: size, sha256: await sha256Of(path), modifiedMs: modifiedMs ?? mtimeMs };
}
