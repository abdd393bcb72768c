/**
 * Atomic replacement of a file: the new bytes are written to a temporary file next to it, which is renamed. Neighbour:
 * `text-files.ts`.
 *
 * Invariants
 *  - A file has its old or its new content, never a part of it, even if the process dies.
 *  - The next start removes temporary files that a crash left behind; only names in this module's own pattern match.
 */
import { randomBytes } from 'node:crypto';
import { link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Name of the hidden temporary files: name of the file, random bytes, `part`. */
const PART = /^\..+\.(?:ya?ml|json)\.[0-9a-f]{12}\.part$/;
const MAX_DEPTH = 5;

/** Path of the temporary file. */
export const partOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);

export async function replaceFile(path: string, bytes: Uint8Array, mode: number, isNew: boolean): Promise<void> {
  const part = partOf(path);
  try {
    const handle = await open(part, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Unlike `rename`, `link` does not replace a file that was created meanwhile.
    if (isNew) await link(part, path);
    else await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
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
