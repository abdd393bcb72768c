/**
 * Atomic replacement of a file: the new bytes are written to a temporary file next to it, which is renamed. Neighbour:
 * `text-files.ts`.
 *
 * Invariants
 *  - A file has its old or its new content, never a part of it, even if the process dies.
 *  - The next start removes temporary files that a crash left behind; only names in this module's own pattern match.
 */
import { createHash, randomBytes } from 'node:crypto';
import { link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Name of the hidden temporary files: name of the file, random bytes, `part`. */
const PART = /^\..+\.(?:ya?ml|json)\.[0-9a-f]{12}\.part$/;
const MAX_DEPTH = 5;

/** Hash of the bytes, as used between the quotes of `ETag`. */
export const etagOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** Path of the temporary file. */
export const partOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);

export async function replaceFile(path: string, bytes: Uint8Array, mode: number, isNew: boolean): Promise<void> {
  const part = partOf(path);
  try {
    await writePart(part, bytes, mode);
    await putInPlace(part, path, isNew);
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a new temporary file, down to the disk. */
export async function writePart(part: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await open(part, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the temporary file the file. With `isNew`, throws `EEXIST` if the file was created meanwhile. */
export async function putInPlace(part: string, path: string, isNew: boolean): Promise<void> {
  // Unlike `rename`, `link` does not replace a file.
  if (!isNew) return rename(part, path);
  await link(part, path);
  await rm(part);
}

/** Runs before anything is written. Returns the removed paths; skips unreadable directories. */
export async function removeParts(directory: string, depth = 0): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      removed.push(...(await removeParts(path, depth + 1)));
    if (!entry.isFile() || !PART.test(entry.name)) continue;
    const isGone = await rm(path).then(
      () => true,
      () => false,
    );
    if (isGone) removed.push(path);
  }
  return removed;
}
