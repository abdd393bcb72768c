/**
 * Tables as CSV (RFC 4180), for spreadsheets.
 * Invariant: no cell is a formula, whatever its text contains (CSV injection). A text that begins like a formula is
 * prefixed with an apostrophe, which makes it a text. Signed numbers compute nothing and stay unchanged:
 * `+33199001122`.
 */
import type { Json } from './json.ts';

export const csvLine = (cells: readonly (Json | undefined)[]): string => cells.map(csvCell).join(',');

/** RFC 4180 §2. Spreadsheets with East Asian input also accept full-width characters at the start of a formula. */
function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
