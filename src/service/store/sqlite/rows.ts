/** Converts rows to objects, with column names in camel case: `created_ms` becomes `createdMs`. */
import type { SQLOutputValue } from 'node:sqlite';

export type SqlRow = Record<string, SQLOutputValue>;

/** A NULL column becomes an absent member. */
export const recordOf = <Made>(row: SqlRow): Made =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([column, value]) => [column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]),
  ) as Made;

/** Page of rows that were queried with limit + 1: `next` is the number of the last row shown, if there are more. */
export function pageOf(
  rows: readonly SqlRow[],
  limit: number,
  number: string,
): { page: readonly SqlRow[]; next?: number } {
  if (rows.length <= limit) return { page: rows };
  const page = rows.slice(0, limit);
  return { page, next: Number(page.at(-1)![number]) };
}
