/**
 * Input and output of a command: results on standard output, messages on standard error. Passed to every sub-command,
 * so that streams and colours are decided once. Colours are used on terminals only, and never with NO_COLOR.
 */
import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls, onOneLine } from '../base/core/control-characters.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** `callweave-language` is the package of the commands for flow files. */
export type ProgramName = 'callweave' | 'callweave-language';

export interface Terminal {
  /** Name of the running program, which messages and hints mention. */
  readonly program: ProgramName;
  readonly input: NodeJS.ReadStream;
  /** True if a user types and reads: keys can be read one by one. */
  readonly isInteractive: boolean;
  print(line?: string): void;
  printJson(value: unknown): void;
  printError(line: string): void;
  /** Draws lines that replace those drawn before; printed lines appear below. For terminals only. */
  draw(lines: readonly string[]): void;
  style(style: Style | Style[], text: string): string;
  /** Adds a listener for interrupts (Ctrl-C, SIGTERM). Returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  /** Sets the exit status: 1 for problems in the material, 2 for usage errors. Default: 0. */
  fail(code: 1 | 2): void;
}

/** Number of lines from the cursor up to the first redrawable one. */
let drawn = 0;

export const processTerminal: Terminal = {
  program: 'callweave',
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

/** Fallback for terminals that report no width or 0. */
const USUAL_COLUMNS = 80;
const UP = (lines: number): string => (lines === 0 ? '' : `\x1b[${lines}A`);
const CLEAR_LINE = '\x1b[2K';
const CLEAR_BELOW = '\x1b[0J';

/**
 * Control sequence that replaces the lines drawn before. Long lines are truncated, because a wrapped line would break
 * the count.
 */
export function redrawSequence(lines: readonly string[], before: number, columns: number): string {
  const fitted = lines.map((line) => {
    const shown = onOneLine(escapeControls(line));
    const bare = stripVTControlCharacters(shown);
    return `${CLEAR_LINE}${bare.length < columns ? shown : bare.slice(0, columns - 1)}\n`;
  });
  return `${UP(before)}${fitted.join('')}${CLEAR_BELOW}`;
}

/** Terminal for `--json`: standard output contains a document even if the command fails. */
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

/** Text of a hint, or a function that returns it for the name of the running program. */
export type Hint = string | ((program: ProgramName) => string);

/** A usage error. Printed without a stack trace, with a hint. */
export class UsageError extends Error {
  readonly hint: Hint | undefined;
  constructor(message: string, hint?: Hint) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Ends the command after its error was printed. */
export class CommandFailed extends Error {
  readonly code: 1 | 2;
  constructor(code: 1 | 2) {
    super('the command failed');
    this.code = code;
  }
}

/** Prints an error and a hint, and sets the exit status. */
export function fail(terminal: Terminal, code: 1 | 2, message: string, hint?: Hint): void {
  const { program } = terminal;
  terminal.printError(`${program}: ${message}`);
  if (hint !== undefined) terminal.printError(`  hint: ${typeof hint === 'function' ? hint(program) : hint}`);
  terminal.fail(code);
}

/** The first lines, and the number of further ones. */
export function firstLines(lines: readonly string[], noun: string): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${countOf(more, `more ${noun}`)}`] : [...lines];
}

export const MAX_LINES = 20;

/** `1 flow`, `2 flows`. */
export const countOf = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`;

/**
 * Lets standard output be closed early (`callweave trace … | head`), which is not an error. If a terminal is gone (EIO),
 * the command continues; SIGHUP decides whether it ends.
 */
export function allowClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EIO') return;
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
