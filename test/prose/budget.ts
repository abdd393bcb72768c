/**
 * How many findings each folder may have, by genre: `budget.json`. Numbers only fall. A folder that the budget does not
 * name has none, but where files move `update` may give it theirs, as long as the sum over all folders does not rise.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Finding } from './findings.ts';
import type { Genre } from './rules.ts';

export type Budget = Record<string, Partial<Record<Genre, number>>>;

export interface Excess {
  folder: string;
  genre: Genre;
  budget: number;
  findings: Finding[];
}

const FILE = new URL('budget.json', import.meta.url);

export const readBudget = (): Budget => JSON.parse(readFileSync(FILE, 'utf8')) as Budget;
export const writeBudget = (budget: Budget): void => writeFileSync(FILE, `${JSON.stringify(budget, null, 2)}\n`);

/** `src/service/calls`, `test/api`, `docs/rooms.md`: pages count alone, and the studio by its rooms. */
export function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1 || parts[0] === 'docs') return file;
  if (file.startsWith('src/pages/studio/web/') && parts.length > 5) return parts.slice(0, 5).join('/');
  return parts.slice(0, Math.min(parts[0] === 'src' ? 3 : 2, parts.length - 1)).join('/');
}

export function excessesOf(findings: readonly Finding[], budget: Budget): Excess[] {
  const groups = Map.groupBy(findings, ({ file, genre }) => `${folderOf(file)} ${genre}`);
  return [...groups.values()].flatMap((group): Excess[] => {
    const folder = folderOf(group[0]!.file);
    const { genre } = group[0]!;
    const allowed = budget[folder]?.[genre] ?? 0;
    return group.length > allowed ? [{ folder, genre, budget: allowed, findings: group }] : [];
  });
}

/** The budget with what the findings leave unused taken away; numbers that would have to rise stay as they are. */
export function lowered(findings: readonly Finding[], budget: Budget): Budget {
  const counts = countsOf(findings);
  const next: Budget = {};
  for (const [folder, genres] of Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const allowed = budget[folder];
    for (const [genre, count] of Object.entries(genres).sort() as [Genre, number][]) {
      const isMoved = allowed === undefined && sumOf(counts, genre) <= sumOf(budget, genre);
      const number = isMoved ? count : Math.min(count, allowed?.[genre] ?? 0);
      if (number > 0) next[folder] = { ...next[folder], [genre]: number };
    }
  }
  return next;
}

function countsOf(findings: readonly Finding[]): Budget {
  const counts: Budget = {};
  for (const { file, genre } of findings) {
    counts[folderOf(file)] ??= {};
    const folder = counts[folderOf(file)]!;
    folder[genre] = (folder[genre] ?? 0) + 1;
  }
  return counts;
}

const sumOf = (budget: Budget, genre: Genre): number =>
  Object.values(budget).reduce((sum, folder) => sum + (folder[genre] ?? 0), 0);
