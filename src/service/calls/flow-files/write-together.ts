/**
 * Writes several files of a directory, all or none, also if the process dies in between. Neighbour: `atomic-write.ts`
 * replaces a single file.
 *
 * The new texts are temporary files next to their files, and hard links keep the old ones. Then a record in the directory
 * lists both: from this moment the save is decided, and the next start finishes it. If a write fails, another record
 * replaces this one, by which all writes are taken back. It was written before the first one, so that a full disk does
 * not prevent it.
 *
 * Invariants
 *  - Without a record, no file has been changed: the temporary files are leftovers.
 *  - A file that another program has changed since is left as it is.
 */
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameBelow, pathBelow, resolvesBelow } from '../../../base/core/data-path.ts';
import { etagOf, partOf, putInPlace, writePart } from './atomic-write.ts';

export interface PlannedWrite {
  /** Absolute path. */
  path: string;
  bytes: Uint8Array;
  mode: number;
  /** Etag of the old content. Absent for a new file. */
  before?: string;
}

/** A file of a decided save. The names are relative to the directory. */
interface DecidedWrite {
  file: string;
  /** Temporary file with the new content, which is gone once it is in place. */
  made: string;
  after: string;
  /** Link to the old content, with its etag. Absent for a new file. */
  old?: { part: string; etag: string };
}

interface SaveRecord {
  isTakenBack: boolean;
  files: DecidedWrite[];
}

/** Files of a save that the last run of the service left undone. */
export interface FinishedSave {
  isTakenBack: boolean;
  files: string[];
  /** Files that another program has changed since. */
  left: string[];
}

/** A hidden file, which no listing of flows or tests contains. */
export const SAVE_RECORD = '.callweave-save.json';
const RECORD_MODE = 0o600;

/** Throws, and leaves all files as they were, if one of them cannot be written. `put`: replaces one file. */
export async function writeTogether(
  directory: string,
  writes: readonly PlannedWrite[],
  put: typeof putInPlace = putInPlace,
): Promise<void> {
  await finishSave(directory);
  const record = join(directory, SAVE_RECORD);
  const planned = writes.map((write) => ({ ...write, made: partOf(write.path), old: partOf(write.path) }));
  const [decided, takenBack] = [partOf(record), partOf(record)];
  const nameOf = (path: string): string => nameBelow(directory, path)!;
  const files = planned.map(({ path, bytes, before, made, old }): DecidedWrite => {
    const kept = before === undefined ? {} : { old: { part: nameOf(old), etag: before } };
    return { file: nameOf(path), made: nameOf(made), after: etagOf(bytes), ...kept };
  });
  let isDecided = false;
  try {
    for (const { path, bytes, mode, before, made, old } of planned) {
      await writePart(made, bytes, mode);
      if (before !== undefined) await link(path, old);
    }
    await writePart(decided, recordOf({ isTakenBack: false, files }), RECORD_MODE);
    await writePart(takenBack, recordOf({ isTakenBack: true, files }), RECORD_MODE);
    await rename(decided, record);
    isDecided = true;
    await syncFolder(directory);
    for (const { path, made, before } of planned) await put(made, path, before === undefined);
    for (const folder of new Set(planned.map(({ path }) => dirname(path)))) await syncFolder(folder);
    await rm(record);
  } catch (error) {
    if (isDecided) {
      await rename(takenBack, record);
      await finishSave(directory);
    }
    throw error;
  } finally {
    const parts = planned.flatMap(({ made, old }) => [made, old]);
    // If the writes could not be taken back either, the record and its files stay for the next start.
    const isOpen = isDecided && (await readRecord(directory)) !== undefined;
    for (const part of isOpen ? [] : [decided, takenBack, ...parts]) await rm(part, { force: true });
  }
}

/** Finishes a decided save, or takes it back. Returns undefined if there is none. */
export async function finishSave(directory: string): Promise<FinishedSave | undefined> {
  const found = await readRecord(directory);
  if (found === undefined) return undefined;
  const { isTakenBack, files } = found;
  const left: string[] = [];
  for (const each of files) if (!(await settle(directory, each, isTakenBack))) left.push(each.file);
  await rm(join(directory, SAVE_RECORD), { force: true });
  for (const { made, old } of files) {
    for (const part of [made, ...(old === undefined ? [] : [old.part])])
      await rm(join(directory, part), { force: true });
  }
  return { isTakenBack, files: files.map(({ file }) => file), left };
}

/** Returns false if the file has neither its old nor its new content. */
async function settle(directory: string, write: DecidedWrite, isTakenBack: boolean): Promise<boolean> {
  const { file, made, after, old } = write;
  const path = join(directory, file);
  const [before, wanted] = [old?.etag, isTakenBack ? old?.etag : after];
  if ((await resolvesBelow(directory, path)) === false) return false;
  const now = await etagAt(path);
  if (now === wanted) return true;
  if (now !== (isTakenBack ? after : before)) return false;
  if (!isTakenBack) await putInPlace(join(directory, made), path, old === undefined);
  else if (old === undefined) await rm(path);
  else await rename(join(directory, old.part), path);
  return true;
}

const recordOf = (record: SaveRecord): Buffer => Buffer.from(JSON.stringify(record));

async function readRecord(directory: string): Promise<SaveRecord | undefined> {
  const text = await readFile(join(directory, SAVE_RECORD), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as SaveRecord;
  const names = record.files.flatMap(({ file, made, old }) => [file, made, ...(old === undefined ? [] : [old.part])]);
  if (names.every((name) => pathBelow(directory, name) !== undefined)) return record;
  throw new Error(`${SAVE_RECORD} names a file outside of its directory`);
}

const etagAt = (path: string): Promise<string | undefined> =>
  readFile(path).then(etagOf, (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Makes renames in a folder survive a loss of power, where the file system can. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
