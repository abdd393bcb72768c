/**
 * Format of a backup: a folder with `callweave.db`, the files that belong to it under their names relative to the data
 * directory, and this manifest, which is written last. Neighbours: `take-backup.ts`, `restore-backup.ts`. Invariant: a
 * manifest is untrusted input. No name in it leads out of the folder, or to a file that does not belong to a data
 * directory.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { nameBelow, pathBelow, resolvesBelow } from '../../base/core/data-path.ts';
import { isObject, type Json, parseJson } from '../../base/core/json.ts';
import { BackupError } from './backup-error.ts';

export const MANIFEST = 'manifest.json';
export const DATABASE = 'callweave.db';
/**
 * Folders of the data directory that are backed up. The others hold caches, live streams and files of the running
 * service.
 */
export const FOLDERS = ['recordings', 'prompts', 'voices', 'models'] as const;

const FORMAT = 1;
const MAX_BYTES = 256 * 2 ** 20;

export interface BackupFile {
  /** Path relative to the data directory, with `/`. */
  name: string;
  bytes: number;
  sha256: string;
  modifiedMs: number;
}

export interface Manifest {
  format: typeof FORMAT;
  /** Version of the program. */
  version: string;
  /** The last migration of the database. */
  migration: number;
  /** Time of the backup. */
  at: string;
  /** Counts of rows in the database. */
  calls: number;
  liveCalls: number;
  waitingEvents: number;
  broadcasts: number;
  /** Number of recordings that were in progress, which are left out. */
  unfinished: number;
  /** Files that the database references but that do not exist. */
  missing: string[];
  files: BackupFile[];
}

/** Adds `format`. */
export const manifestText = (manifest: Omit<Manifest, 'format'>): string =>
  `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;

/** Throws a `BackupError` if the folder is not a backup, or its manifest is invalid. */
export async function readManifest(directory: string): Promise<Manifest> {
  const file = join(directory, MANIFEST);
  const { size } = await stat(file).catch((error: unknown) => {
    const hint = 'name the folder that `callweave backup` made; one that was interrupted ends with .partial';
    throw new BackupError(`${directory} is not a backup: it has no ${MANIFEST} that can be read`, hint, error);
  });
  if (size > MAX_BYTES) throw wrong(file, 'it is too large');
  const manifest = parseJson(await readFile(file, 'utf8'));
  if (!isObject(manifest)) throw wrong(file, 'it is not a JSON object');
  if (manifest['format'] !== FORMAT)
    throw wrong(file, `its format is ${JSON.stringify(manifest['format'])}, not ${FORMAT}`);
  const problem = problemOf(manifest as unknown as Manifest, directory);
  if (problem !== undefined) throw wrong(file, problem);
  return manifest as unknown as Manifest;
}

const wrong = (file: string, why: string): BackupError =>
  new BackupError(
    `${file} cannot be used: ${why}`,
    'take another backup: this one was changed, or is of another program',
  );

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const COUNTS = ['migration', 'calls', 'liveCalls', 'waitingEvents', 'broadcasts', 'unfinished'] as const;

function problemOf(manifest: Manifest, directory: string): string | undefined {
  const { version, at, files, missing } = manifest;
  if (typeof version !== 'string' || typeof at !== 'string') return 'it does not say its version and time';
  for (const name of COUNTS) if (!isCount(manifest[name])) return `its ${name} is not a number`;
  if (!Array.isArray(files) || !Array.isArray(missing)) return 'it has no list of files';
  const names = new Set<string>();
  for (const file of files as unknown as Json[]) {
    if (!isObject(file)) return 'an entry of its files is not an object';
    const { name, bytes, sha256, modifiedMs } = file;
    if (typeof name !== 'string' || !isOurs(directory, name))
      return `${JSON.stringify(name)} is not the name of a file of the data`;
    if (names.has(name)) return `it names ${name} twice`;
    if (!isCount(bytes) || typeof modifiedMs !== 'number') return `the size of ${name} is not a number`;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return `the checksum of ${name} is not one`;
    names.add(name);
  }
  return names.has(DATABASE) ? undefined : `it does not name ${DATABASE}`;
}

/** True for a canonical name of a file that a backup may contain. */
function isOurs(directory: string, name: string): boolean {
  const path = pathBelow(directory, name);
  if (path === undefined || nameBelow(directory, path) !== name) return false;
  return name === DATABASE || FOLDERS.some((folder) => name.startsWith(`${folder}/`));
}

/**
 * Returns the difference between the file of this name in the directory and the manifest. Undefined if there is none.
 */
export async function differenceOf(directory: string, file: BackupFile): Promise<string | undefined> {
  const problem = await outerDifferenceOf(directory, file);
  if (problem !== undefined) return problem;
  const isSame = (await sha256Of(join(directory, file.name))) === file.sha256;
  return isSame ? undefined : `${file.name} has another checksum`;
}

/** Returns a difference that is visible without reading the file. */
export async function outerDifferenceOf(directory: string, { name, bytes }: BackupFile): Promise<string | undefined> {
  const path = join(directory, name);
  const isThere = await resolvesBelow(directory, path);
  if (isThere === 'gone') return `${name} is missing`;
  const found = isThere ? await lstat(path) : undefined;
  if (!found?.isFile()) return `${name} is not a file of this folder`;
  return found.size === bytes ? undefined : `${name} has ${found.size} bytes, not ${bytes}`;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
