/** All that is wrong with the numbers of a broadcast, where they were written: in lines of a table, else in places of the list. */
import { type Contact, toldLines } from './contacts.ts';
import { shown } from './find-files.ts';
import { count, type Terminal } from './terminal.ts';

/** `index`: from 0. */
export interface WrongNumber {
  index: number;
  value: string;
  message: string;
}

export interface Table {
  file: string;
  contacts: readonly Contact[];
}

const MOST_TOLD = 20;
const LONGEST_VALUE = 64;

export function tellWrongNumbers(wrong: readonly WrongNumber[], table: Table | undefined, terminal: Terminal): void {
  const told = wrong.map(({ index, value, message }) => ({
    index,
    message: `${value === '' ? '' : `${value.slice(0, LONGEST_VALUE)}: `}${message}`,
  }));
  if (table !== undefined) {
    const lines = told.map(({ index, message }) => ({ line: table.contacts[index]?.line ?? index + 2, message }));
    terminal.complain(toldLines(shown(table.file), lines));
    return;
  }
  for (const { index, message } of told.slice(0, MOST_TOLD)) terminal.complain(`  number ${index + 1}: ${message}`);
  const more = told.length - MOST_TOLD;
  if (more > 0) terminal.complain(`  and ${count(more, 'more number')}`);
}
