/** The `callweave` command: reads the command line, runs one sub-command, says what went wrong in one line and a hint. */
import { enableCompileCache } from 'node:module';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { jsonTerminal, processTerminal, UsageError } from './terminal.ts';

// Half of a short command's time is reading its own program.
enableCompileCache();

/** Standard output was closed early (`callweave trace … | head`): nobody reads on, which is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const forPrograms = process.argv.includes('--json') ? jsonTerminal(processTerminal) : undefined;
const terminal = forPrograms ?? processTerminal;
try {
  await createProgram(terminal).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) terminal.fail(2);
  } else if (error instanceof UsageError) {
    terminal.complain(`callweave: ${error.message}`);
    if (error.hint !== undefined) terminal.complain(`  hint: ${error.hint}`);
    terminal.fail(2);
  } else {
    terminal.complain(`callweave: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    terminal.fail(1);
  }
}
forPrograms?.end();
