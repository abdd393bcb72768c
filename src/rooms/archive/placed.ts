/** Who is shown in the file of a session, and when, of what was recorded. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PHONES } from '../sfu.ts';
import type { ArchivedFile, ArchivedPhone } from './archive.ts';
import type { Shown } from './layout.ts';

/** Before its tile is made. */
export interface Person extends Omit<Shown, 'tile'> {
  name?: string | undefined;
  hasTile: boolean;
}

export interface PlacedFile extends Person, Pick<ArchivedFile, 'file' | 'participant' | 'startedAtMs'> {
  hasSound: boolean;
}

/** Those that are there; how long one is that was cut off is measured. */
export async function placed(
  recordings: readonly ArchivedFile[],
  folder: string,
  measure: (file: string) => Promise<{ ms: number }>,
): Promise<PlacedFile[]> {
  const files: (ArchivedFile & { durationMs: number })[] = [];
  for (const each of recordings) {
    const { size } = await stat(join(folder, each.file)).catch(() => ({ size: 0 }));
    if (size === 0) continue;
    const durationMs = each.durationMs ?? (await measure(each.file).catch(() => ({ ms: 0 }))).ms;
    if (durationMs > 0) files.push({ ...each, durationMs });
  }
  const firstMs = Math.min(...files.map(({ startedAtMs }) => startedAtMs));
  return files.map(({ file, participant, name, kind, sources, startedAtMs, durationMs, pictures }) => {
    const hasPictures = sources.some((source) => source !== 'audio');
    const hasSound = sources.includes('audio');
    return {
      ...{ file, participant, name, kind, startedAtMs, durationMs, beginsMs: startedAtMs - firstMs, hasSound },
      pictures: hasPictures ? (pictures ?? [[0, durationMs]]) : [],
      hasTile: hasSound && participant !== PHONES,
    };
  });
}

/** Telephones are one file together: each of them has a place while it is in and that file goes on. */
export const phonesOf = (phones: readonly ArchivedPhone[], files: readonly PlacedFile[]): Person[] =>
  files
    .filter(({ participant }) => participant === PHONES)
    .flatMap(({ kind, startedAtMs, beginsMs, durationMs: mostMs }) =>
      phones.flatMap(({ name, fromMs, toMs = Number.POSITIVE_INFINITY }) => {
        const sinceMs = Math.max(0, fromMs - startedAtMs);
        const durationMs = Math.min(mostMs, toMs - startedAtMs) - sinceMs;
        if (durationMs <= 0) return [];
        return [{ name, kind, beginsMs: beginsMs + sinceMs, durationMs, pictures: [], hasTile: true }];
      }),
    );
