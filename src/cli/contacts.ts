/**
 * Reads the numbers of a broadcast from a CSV table: one column is the phone number, the others are the input of its
 * call. Accepts the output of spreadsheets: byte order marks, semicolons, quotes, empty lines. Reports all errors of a
 * file at once, by line.
 */
import { statSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { destinationProblem } from '../base/core/address-syntax.ts';
import { type Json, type JsonObject, parseJson } from '../base/core/json.ts';
import { INVISIBLE } from '../base/core/phone-number.ts';
import { displayPath, readBytes } from './find-files.ts';
import { countOf, firstLines, type Terminal, UsageError } from './terminal.ts';

export interface Contact {
  /** Phone number as written. */
  phone: string;
  /** Absent if the table has only the number. */
  input?: JsonObject;
  /** Line number from 1. For a record of several lines, the last one. */
  line: number;
}

export interface ContactTable {
  file: string;
  contacts: readonly Contact[];
}

export interface ContactOptions {
  /** Columns used as input. Default: all. */
  columns?: readonly string[];
}

const MAX_BYTES = 64 * 2 ** 20;
/** Limit for a record, so that an unclosed quote is detected before it consumes the file. */
const MAX_CHARACTERS_OF_RECORD = 65_536;
const DELIMITERS = [',', ';', '\t'];
/** Accepted names of the number column, in order of preference. The last one is used by reports. */
const PHONE_COLUMNS = ['phone', 'number', 'tel', 'telephone', 'phone_number', 'mobile', 'msisdn', 'dialed_number'];
const EXAMPLE = 'write the column names in the first line, such as: phone,name,appointment';

/** Column names on the command line, separated by commas. */
export const columnNames = (written: string): string[] =>
  written
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** Throws a `UsageError` with all invalid lines; the first twenty are described. */
export function readContacts(file: string, options: ContactOptions = {}): Contact[] {
  return parseContacts(textOf(file), file, options);
}

/** `source` is the name of the text in messages. */
export function parseContacts(text: string, source: string, { columns }: ContactOptions = {}): Contact[] {
  const [header, ...rows] = recordsOf(text, source);
  if (header === undefined) throw new UsageError(`${source} is empty`, EXAMPLE);
  const table = readHeader(header.cells, source, columns);
  const wrong: { line: number; message: string }[] = [];
  const contacts: Contact[] = [];
  for (const { cells, line } of rows) {
    if (cells.every((cell) => cell === '')) continue;
    const contact = readRow(cells, line, table);
    if ('message' in contact) wrong.push(contact);
    else contacts.push(contact);
  }
  if (wrong.length > 0) throw new UsageError(wrongLinesText(source, wrong));
  if (contacts.length === 0) throw new UsageError(`${source} has a header, but no rows`, EXAMPLE);
  return contacts;
}

interface ContactColumns {
  width: number;
  phoneAt: number;
  inputs: { at: number; name: string; read: (cell: string) => Json | undefined; noun: string }[];
}

/** Cells are texts unless the header declares another type, so that a postcode keeps its leading zero. */
const KINDS: Record<string, Pick<ContactColumns['inputs'][number], 'read' | 'noun'>> = {
  text: { noun: 'text', read: (cell) => cell },
  number: { noun: 'a number', read: (cell) => (Number.isFinite(Number(cell)) ? Number(cell) : undefined) },
  boolean: { noun: 'true or false', read: (cell) => (/^(true|false)$/i.test(cell) ? /^t/i.test(cell) : undefined) },
  json: { noun: 'JSON', read: parseJson },
};

function readHeader(cells: readonly string[], source: string, wanted: readonly string[] | undefined): ContactColumns {
  const names = cells.map((cell) =>
    cell
      .replace(INVISIBLE, '')
      .replace(/:[a-z]+$/, '')
      .replaceAll(/[ -]+/g, '_'),
  );
  const phone = PHONE_COLUMNS.find((name) => names.some((given) => given.toLowerCase() === name));
  if (phone === undefined) {
    throw new UsageError(
      `${source}, line 1: the column phone is missing`,
      `the columns are ${listed(cells)}; ${EXAMPLE}`,
    );
  }
  const phoneAt = names.findIndex((name) => name.toLowerCase() === phone);
  const missing = wanted?.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`${source}, line 1: unknown column ${missing}`, `the columns are ${listed(names)}`);
  }
  const inputs = names.flatMap((name, at): ContactColumns['inputs'] => {
    if (at === phoneAt || name === '' || (wanted !== undefined && !wanted.includes(name))) return [];
    return [{ at, name, ...kindOf(cells[at]!, name, source) }];
  });
  const twin = inputs.find(({ name }, index) => inputs.some((other, before) => before < index && other.name === name));
  if (twin !== undefined) throw new UsageError(`${source}, line 1: two columns are named ${twin.name}`);
  return { width: cells.length, phoneAt, inputs };
}

const listed = (names: readonly string[]): string => names.map((name) => name.slice(0, 40)).join(', ');

function kindOf(cell: string, name: string, source: string): Pick<ContactColumns['inputs'][number], 'read' | 'noun'> {
  if (!/^[A-Za-z_]\w{0,63}$/.test(name) || name === '__proto__') {
    throw new UsageError(
      `${source}, line 1: ${cell.slice(0, 64)} cannot be the name of an input`,
      'use letters, digits and _, or select columns with --columns',
    );
  }
  const said = /:([a-z]+)$/.exec(cell)?.[1] ?? 'text';
  const kind = Object.hasOwn(KINDS, said) ? KINDS[said] : undefined;
  if (kind === undefined) {
    throw new UsageError(
      `${source}, line 1: ${cell.slice(0, 64)}: the type of a column must be ${Object.keys(KINDS).join(', ')}`,
    );
  }
  return kind;
}

function readRow(
  cells: readonly string[],
  line: number,
  table: ContactColumns,
): Contact | { line: number; message: string } {
  if (cells.slice(table.width).some((cell) => cell !== '')) {
    return {
      line,
      message: `has ${countOf(cells.length, 'value')}, but the header has ${countOf(table.width, 'column')}`,
    };
  }
  // In spreadsheets, a leading apostrophe marks a cell as text.
  const phone = (cells[table.phoneAt] ?? '').replace(INVISIBLE, '').replace(/^'/, '').trim();
  if (phone === '') return { line, message: 'has no number' };
  if (/^\d[.,]\d+E\+?\d+$/i.test(phone)) {
    return { line, message: `${phone} was rounded by a spreadsheet: format the column as text there` };
  }
  const wrong = destinationProblem(phone);
  if (wrong !== undefined) return { line, message: `${phone.slice(0, 64)} ${wrong}` };
  const input: JsonObject = {};
  let isGiven = false;
  for (const { at, name, read, noun } of table.inputs) {
    const cell = cells[at] ?? '';
    // An empty cell is omitted, so that the default of the flow applies.
    if (cell === '') continue;
    const value = read(cell);
    if (value === undefined) return { line, message: `${name} is ${cell.slice(0, 64)}, which is not ${noun}` };
    input[name] = value;
    isGiven = true;
  }
  return isGiven ? { phone, input, line } : { phone, line };
}

/** The first errors, with the number of further ones. */
function wrongLinesText(source: string, wrong: readonly { line: number; message: string }[]): string {
  const lines = wrong.map(({ line, message }) => `line ${line}: ${message}`);
  const shown = firstLines(lines, 'line').map((line) => `  ${line}`);
  return [`${source}: ${countOf(wrong.length, 'line')} cannot be used`, ...shown].join('\n');
}

/** An invalid number in a response of the service. `index` is from 0. */
export interface WrongNumber {
  index: number;
  value: string;
  message: string;
}

const MAX_VALUE = 64;

/** Prints invalid numbers with their lines in the table, or with their positions in the list. */
export function printWrongNumbers(
  wrong: readonly WrongNumber[],
  table: ContactTable | undefined,
  terminal: Terminal,
): void {
  const found = wrong.map(({ index, value, message }) => ({
    index,
    message: `${value === '' ? '' : `${value.slice(0, MAX_VALUE)}: `}${message}`,
  }));
  if (table !== undefined) {
    const lines = found.map(({ index, message }) => ({ line: table.contacts[index]?.line ?? index + 2, message }));
    terminal.printError(wrongLinesText(displayPath(table.file), lines));
    return;
  }
  const lines = found.map(({ index, message }) => `number ${index + 1}: ${message}`);
  for (const line of firstLines(lines, 'number')) terminal.printError(`  ${line}`);
}

function recordsOf(text: string, source: string): { cells: string[]; line: number }[] {
  try {
    const [said = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
    // The type declaration of the library lacks the effect of `info`.
    const records = parse(text.slice(said.length), {
      bom: true,
      delimiter: separator ?? delimiterOf(text),
      info: true,
      max_record_size: MAX_CHARACTERS_OF_RECORD,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const first = said === '' ? 0 : 1;
    return records.map(({ record, info }) => ({ cells: record, line: info.lines + first }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? `, line ${error['lines']}` : '';
    throw new UsageError(`${source}${line}: ${WRONG[error.code] ?? error.message}`);
  }
}

const UNCLOSED = 'unclosed quote (") in this line or before it';
const WRONG: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: UNCLOSED,
  CSV_MAX_RECORD_SIZE: UNCLOSED,
  CSV_INVALID_CLOSING_QUOTE: 'a quote (") closes in the middle of a value; write it twice inside quotes',
  INVALID_OPENING_QUOTE:
    'a quote (") in the middle of a value: put the whole value in quotes, and write the quote twice',
};

/** First line that tells spreadsheets the delimiter: `sep=;`. */
const SEPARATOR_LINE = /^\ufeff?sep=([,;\t|])[ \t]*\r?\n/i;

/** Most frequent delimiter in the header, outside of quotes. */
function delimiterOf(text: string): string {
  const header = (/^[^\r\n]*/.exec(text.replace(/^(\ufeff|\s)+/, ''))?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, times: header.split(delimiter).length }));
  return counted.reduce((best, next) => (next.times > best.times ? next : best)).delimiter;
}

function textOf(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) throw new UsageError(`${file} is larger than ${MAX_BYTES / 2 ** 20} MB`);
  const bytes = readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file} is not UTF-8`, 'save it again as `CSV UTF-8`');
  }
}
