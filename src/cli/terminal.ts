/**
 * Where a command speaks to: text or one JSON document on standard output, complaints on standard error. Passed to every
 * sub-command, so that colours and streams are decided once. Colours only on a terminal (and never with NO_COLOR).
 */
import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls, onOneLine } from '../core/control-characters.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Somebody types and reads: keys may be taken one by one. */
  readonly isInteractive: boolean;
  print(line?: string): void;
  printJson(value: unknown): void;
  printError(line: string): void;
  /** Lines that change in place: they take the place of those drawn before; what is printed comes below. For screens. */
  draw(lines: readonly string[]): void;
  style(style: Style | Style[], text: string): string;
  /** Interrupts (Ctrl-C, SIGTERM); returns what takes the listener away again. */
  onInterrupt(listener: () => void): () => void;
  /** What the process will exit with: 0 all well, 1 something is wrong with the material, 2 with the command. */
  fail(code: 1 | 2): void;
}

/** How many lines the cursor is below the first that may still be drawn over. */
let drawn = 0;

export const processTerminal: Terminal = {
  input: process.stdin,
  get isInteractive() {
    return process.stdin.isTTY === true && process.stdout.isTTY === true;
  },
  print(line = '') {
    drawn = 0;
    process.stdout.write(`${escapeControls(line)}\n`);
  },
  printJson(value) {
    process.stdout.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
  },
  printError(line) {
    drawn = 0;
    process.stderr.write(`${escapeControls(line)}\n`);
  },
  draw(lines) {
    process.stdout.write(redrawSequence(lines, drawn, process.stdout.columns || USUAL_COLUMNS));
    drawn = lines.length;
  },
  style: (style, text) => styleText(style, text, { stream: process.stdout }),
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    process.on('SIGTERM', listener);
    return () => {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    };
  },
  fail(code) {
    process.exitCode = Math.max(code, Number(process.exitCode ?? 0));
  },
};

/** Where a terminal does not say: some say 0. */
const USUAL_COLUMNS = 80;
const UP = (lines: number): string => (lines === 0 ? '' : `\x1b[${lines}A`);
const CLEAR_LINE = '\x1b[2K';
const CLEAR_BELOW = '\x1b[0J';

/** What draws over as many lines as were drawn before. A line that the screen would wrap is cut: it has to stay one. */
export function redrawSequence(lines: readonly string[], before: number, columns: number): string {
  const fitted = lines.map((line) => {
    const shown = onOneLine(escapeControls(line));
    const bare = stripVTControlCharacters(shown);
    return `${CLEAR_LINE}${bare.length < columns ? shown : bare.slice(0, columns - 1)}\n`;
  });
  return `${UP(before)}${fitted.join('')}${CLEAR_BELOW}`;
}

/** For programs (`--json`): standard output also holds a document when the command failed. */
export function jsonTerminal(under: Terminal): Terminal & { end(): void } {
  const complaints: string[] = [];
  let hasPrinted = false;
  let hasFailed = false;
  return {
    ...under,
    isInteractive: under.isInteractive,
    printJson(value) {
      hasPrinted = true;
      under.printJson(value);
    },
    printError(line) {
      complaints.push(line);
      under.printError(line);
    },
    style: (_style, text) => text,
    fail(code) {
      hasFailed = true;
      under.fail(code);
    },
    end() {
      if (hasFailed && !hasPrinted) under.printJson({ ok: false, error: complaints.join('\n') });
    },
  };
}

/** The command was given wrongly: shown without a stack, with what to do about it. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Ends the command, which has said why. */
export class CommandFailed extends Error {
  readonly code: 1 | 2;
  constructor(code: 1 | 2) {
    super('the command failed');
    this.code = code;
  }
}

/** Says in one line what went wrong, and in another what to do about it. The command fails. */
export function fail(terminal: Terminal, code: 1 | 2, message: string, hint?: string): void {
  terminal.printError(`callweave: ${message}`);
  if (hint !== undefined) terminal.printError(`  hint: ${hint}`);
  terminal.fail(code);
}

/** The first of many lines, and how many more there are. */
export function firstLines(lines: readonly string[], noun: string): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${countOf(more, `more ${noun}`)}`] : [...lines];
}

export const MAX_LINES = 20;

/** `1 flow`, `2 flows`. */
export const countOf = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`;
