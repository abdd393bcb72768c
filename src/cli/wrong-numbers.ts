/** All that is wrong with the numbers of a broadcast, where they were written: in lines of a table, else in places of the list. */
import { type ContactTable, wrongLinesText } from './contacts.ts';
import { displayPath } from './find-files.ts';
import { firstLines, type Terminal } from './terminal.ts';

/** `index`: from 0. */
export interface WrongNumber {
  index: number;
  value: string;
  message: string;
}

const LONGEST_VALUE = 64;

export function printWrongNumbers(
  wrong: readonly WrongNumber[],
  table: ContactTable | undefined,
  terminal: Terminal,
): void {
  const found = wrong.map(({ index, value, message }) => ({
    index,
    message: `${value === '' ? '' : `${value.slice(0, LONGEST_VALUE)}: `}${message}`,
  }));
  if (table !== undefined) {
    const lines = found.map(({ index, message }) => ({ line: table.contacts[index]?.line ?? index + 2, message }));
    terminal.printError(wrongLinesText(displayPath(table.file), lines));
    return;
  }
  const lines = found.map(({ index, message }) => `number ${index + 1}: ${message}`);
  for (const line of firstLines(lines, 'number')) terminal.printError(`  ${line}`);
}
