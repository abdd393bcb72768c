/** The `callweave` command: reads the command line, runs one sub-command, says what went wrong in one line and a hint. */
import { enableCompileCache } from 'node:module';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { processTerminal, UsageError } from './terminal.ts';

// Half of a short command's time is reading its own program.
enableCompileCache();

/** Standard output was closed early (`callweave trace … | head`): nobody reads on, which is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram(processTerminal).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) processTerminal.fail(2);
  } else if (error instanceof UsageError) {
    processTerminal.complain(`callweave: ${error.message}`);
    if (error.hint !== undefined) processTerminal.complain(`  hint: ${error.hint}`);
    processTerminal.fail(2);
  } else {
    processTerminal.complain(`callweave: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    processTerminal.fail(1);
  }
}
