/**
 * Tables as CSV (RFC 4180), which spreadsheets open.
 *
 * Invariant: no cell is a formula, no matter who has written what is in it. A text that begins as one is given the
 * apostrophe that makes it a text. Numbers compute nothing, with their sign as well: `+33199001122` stays as it is.
 */
import type { Json } from './json.ts';

export const csvLine = (cells: readonly (Json | undefined)[]): string => cells.map(csvCell).join(',');

/** §2. Where people write in full width, so do spreadsheets. */
function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
