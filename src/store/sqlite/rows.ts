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
