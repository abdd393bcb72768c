/** Prints diagnostics: location, code, message, the marked source line, and the hint. */
import { readFileSync } from 'node:fs';
import { type Diagnostic, type GroupedDiagnostic, groupDiagnostics } from '../base/core/diagnostic.ts';
import { displayPath } from './find-files.ts';
import { CommandFailed, type Terminal } from './terminal.ts';

const MAX_WIDTH = 160;
/** Stands for the part of a line that is not shown. */
const CUT = '…';
const MAX_PLACES = 20;

/** Prints to standard error. Equal diagnostics are grouped. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], terminal: Terminal): void {
  for (const finding of groupDiagnostics(diagnostics))
    printDiagnostic(terminal, finding, (line) => terminal.printError(line));
}

/** Prints diagnostics of a required file and ends the command. */
export function refuseDiagnostics(diagnostics: readonly Diagnostic[], terminal: Terminal, code: 1 | 2 = 1): never {
  printDiagnostics(diagnostics, terminal);
  throw new CommandFailed(code);
}

export function printDiagnostic(
  terminal: Terminal,
  diagnostic: GroupedDiagnostic,
  print: (line: string) => void = (line) => terminal.print(line),
): void {
  const { severity, code, message, file, line, column, hint } = diagnostic;
  const paint = severity === 'error' ? 'red' : 'yellow';
  const place = terminal.style('bold', `${displayPath(file)}:${line}:${column}`);
  print(`${place} ${terminal.style(paint, severity)} ${code}: ${message}`);
  const excerpt = excerptOf(file, line, column);
  if (excerpt !== undefined) {
    const margin = String(line).length;
    const mark = `${' '.repeat(excerpt.before)}${terminal.style(paint, '^')}`;
    print(`  ${terminal.style('dim', `${line} |`)} ${excerpt.text}`);
    print(`  ${terminal.style('dim', `${' '.repeat(margin)} |`)} ${mark}`);
  }
  const { also } = diagnostic;
  if (also !== undefined) print(`  also at ${placesOf(also)}`);
  if (hint !== undefined) print(`  ${terminal.style('cyan', 'hint:')} ${hint}`);
}

function placesOf(also: NonNullable<GroupedDiagnostic['also']>): string {
  const places = also.slice(0, MAX_PLACES).map(({ line, column }) => `${line}:${column}`);
  return also.length > places.length
    ? `${places.join(', ')} and ${also.length - places.length} more`
    : places.join(', ');
}

interface Excerpt {
  text: string;
  /** Characters before the column. */
  before: number;
}

/** The line, or the part of a long line around the column. */
function excerptOf(file: string, line: number, column: number): Excerpt | undefined {
  try {
    const text = readFileSync(file, 'utf8').split(/\r?\n/)[line - 1]?.replaceAll('\t', ' ');
    return text === undefined || text.trim() === '' ? undefined : around(text, Math.min(text.length, column - 1));
  } catch {
    return undefined;
  }
}

function around(text: string, at: number): Excerpt {
  if (text.length <= MAX_WIDTH) return { text, before: Math.max(0, at) };
  const from = Math.max(0, Math.min(at - MAX_WIDTH / 2, text.length - MAX_WIDTH));
  const [start, end] = [from > 0 ? CUT : '', from + MAX_WIDTH < text.length ? CUT : ''];
  const shown = text.slice(from + start.length, from + MAX_WIDTH - end.length);
  return { text: `${start}${shown}${end}`, before: Math.max(0, at - from) };
}
