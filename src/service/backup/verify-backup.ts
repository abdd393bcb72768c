/** Reads a whole backup and compares it with its manifest. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameBelow } from '../../base/core/data-path.ts';
import { differenceOf, MANIFEST, type Manifest, readManifest } from './manifest.ts';

export interface Verified {
  manifest: Manifest;
  /** Empty if the backup is unchanged. */
  problems: string[];
}

/** Throws a `BackupError` if the manifest itself is invalid. */
export async function verifyBackup(directory: string): Promise<Verified> {
  const manifest = await readManifest(directory);
  const problems: string[] = [];
  for (const file of manifest.files) {
    const difference = await differenceOf(directory, file);
    if (difference !== undefined) problems.push(difference);
  }
  const known = new Set([MANIFEST, ...manifest.files.map(({ name }) => name)]);
  for (const entry of await readdir(directory, { recursive: true })) {
    const path = join(directory, entry);
    const name = nameBelow(directory, path)!;
    if (!known.has(name) && !(await lstat(path)).isDirectory()) problems.push(`${name} is not in the manifest`);
  }
  return { manifest, problems };
}
