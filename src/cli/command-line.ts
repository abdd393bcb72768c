/** Runs one command and sets the exit status. An error is printed as one line with a hint. */
import { type Command, CommanderError } from 'commander';
import { CommandFailed, fail, jsonTerminal, type Terminal, UsageError } from './terminal.ts';

export async function runCommandLine(
  args: readonly string[],
  under: Terminal,
  createProgram: (terminal: Terminal) => Command,
): Promise<void> {
  const forPrograms = args.includes('--json') ? jsonTerminal(under) : undefined;
  const terminal = forPrograms ?? under;
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) terminal.fail(2);
    } else if (error instanceof CommandFailed) {
      terminal.fail(error.code);
    } else if (error instanceof UsageError) {
      fail(terminal, 2, error.message, error.hint);
    } else {
      fail(terminal, 1, error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
  forPrograms?.end();
}
