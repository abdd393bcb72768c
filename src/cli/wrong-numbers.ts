/** All that is wrong with the numbers of a broadcast, where they were written: in lines of a table, else in places of the list. */
import { type Contact, wrongLinesText } from './contacts.ts';
import { displayPath } from './find-files.ts';
import { countOf, type Terminal } from './terminal.ts';

/** `index`: from 0. */
export interface WrongNumber {
  index: number;
  value: string;
  message: string;
}

export interface ContactTable {
  file: string;
  contacts: readonly Contact[];
}

const MOST_TOLD = 20;
const LONGEST_VALUE = 64;

export function printWrongNumbers(
  wrong: readonly WrongNumber[],
  table: ContactTable | undefined,
  terminal: Terminal,
): void {
  const told = wrong.map(({ index, value, message }) => ({
    index,
    message: `${value === '' ? '' : `${value.slice(0, LONGEST_VALUE)}: `}${message}`,
  }));
  if (table !== undefined) {
    const lines = told.map(({ index, message }) => ({ line: table.contacts[index]?.line ?? index + 2, message }));
    terminal.printError(wrongLinesText(displayPath(table.file), lines));
    return;
  }
  for (const { index, message } of told.slice(0, MOST_TOLD)) terminal.printError(`  number ${index + 1}: ${message}`);
  const more = told.length - MOST_TOLD;
  if (more > 0) terminal.printError(`  and ${countOf(more, 'more number')}`);
}
