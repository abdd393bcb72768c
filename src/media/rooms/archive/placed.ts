/** Chooses the recorded files and phones that are shown in the composite of a session, with their times. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PHONES } from '../sfu.ts';
import type { ArchivedFile, ArchivedPhone } from './archive.ts';
import type { Shown } from './layout.ts';

/** Participant before its tile is made. */
export interface PlacedPerson extends Omit<Shown, 'tile'> {
  name?: string | undefined;
  hasTile: boolean;
}

export interface PlacedFile extends PlacedPerson, Pick<ArchivedFile, 'file' | 'participant' | 'startedAtMs'> {
  hasSound: boolean;
}

/** Returns the files that exist; measures the duration of files that were interrupted. */
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

/** All phones share a file: each has a tile while it is in the session and that file lasts. */
export const phonesOf = (phones: readonly ArchivedPhone[], files: readonly PlacedFile[]): PlacedPerson[] =>
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
