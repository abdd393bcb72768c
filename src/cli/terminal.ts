/**
 * Where a command speaks to: text or one JSON document on standard output, complaints on standard error. Passed to every
 * sub-command, so that colours and streams are decided once. Colours only on a terminal (and never with NO_COLOR).
 */
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Somebody types and reads: keys may be taken one by one. */
  readonly isInteractive: boolean;
  print(line?: string): void;
  printJson(value: unknown): void;
  complain(line: string): void;
  style(style: Style | Style[], text: string): string;
  /** Interrupts (Ctrl-C, SIGTERM); returns what takes the listener away again. */
  onInterrupt(listener: () => void): () => void;
  /** What the process will exit with: 0 all well, 1 something is wrong with the material, 2 with the command. */
  fail(code: 1 | 2): void;
}

export const processTerminal: Terminal = {
  input: process.stdin,
  get isInteractive() {
    return process.stdin.isTTY === true && process.stdout.isTTY === true;
  },
  print(line = '') {
    process.stdout.write(`${line}\n`);
  },
  printJson(value) {
    process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  },
  complain(line) {
    process.stderr.write(`${line}\n`);
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

/** The command was given wrongly: shown without a stack, with what to do about it. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** `1 flow`, `2 flows`. */
export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`;
