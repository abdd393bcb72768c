/** Calls as a table for spreadsheets (RFC 4180). Pure. */
import type { CallRow } from '../call-rows/call-row.ts';
import { resultWords } from '../journal/result-words.ts';

const COLUMNS: readonly (readonly [title: string, of: (call: CallRow) => string])[] = [
  ['started', ({ startedMs }) => new Date(startedMs).toISOString()],
  ['ended', ({ endedMs }) => (endedMs === undefined ? '' : new Date(endedMs).toISOString())],
  ['seconds', ({ startedMs, endedMs }) => (endedMs === undefined ? '' : ((endedMs - startedMs) / 1000).toFixed(1))],
  ['direction', ({ direction }) => (direction === 'in' ? 'inbound' : 'outbound')],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['flow', ({ flow }) => flow],
  ['result', ({ cause, state }) => (cause === undefined ? state : resultWords(cause))],
  ['quality', ({ mos }) => mos?.toFixed(1) ?? ''],
  ['id', ({ id }) => id],
];

export const csvOf = (calls: readonly CallRow[]): string =>
  [COLUMNS.map(([title]) => title), ...calls.map((call) => COLUMNS.map(([, of]) => cell(of(call))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** Callers choose their names: a cell that a spreadsheet would run as a formula gets an apostrophe. */
function cell(text: string): string {
  const isFormula = /^[=@\t\r]|^[+-](?![\d\s().-]*$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
