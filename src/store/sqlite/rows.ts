/** Reads rows whose columns are named as members are: `created_ms` is `createdMs`. */
import type { SQLOutputValue } from 'node:sqlite';

export type Row = Record<string, SQLOutputValue>;

/** NULL: the member is absent. */
export const recordOf = <Made>(row: Row): Made =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([column, value]) => [column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]),
  ) as Made;

/** Of rows that were asked for with one more than the limit: `next` where there are more, the number of the last shown. */
export function pageOf(rows: readonly Row[], limit: number, number: string): { page: readonly Row[]; next?: number } {
  if (rows.length <= limit) return { page: rows };
  const page = rows.slice(0, limit);
  return { page, next: Number(page.at(-1)![number]) };
}
