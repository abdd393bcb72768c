/**
 * How a file is replaced: its new bytes are written beside it and renamed. Neighbour: `text-files.ts`.
 *
 * Invariants
 *  - a file is the old one or the new one, never a part, whenever the process ends;
 *  - what a crash has left beside it is removed at the next start: nothing else than what is named as only we name it.
 */
import { randomBytes } from 'node:crypto';
import { link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Of hidden files beside flows and tests: the name of the file, random bytes, `part`. */
const PART = /^\..+\.(?:ya?ml|json)\.[0-9a-f]{12}\.part$/;
const MAX_DEPTH = 5;

/** Where the new bytes of a file are written. */
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
    // Unlike a rename, a link does not replace what somebody else has made meanwhile.
    if (isNew) await link(part, path);
    else await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Before anything is written. Returns what it has removed; directories that cannot be read are passed over. */
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
