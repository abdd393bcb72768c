/** The `callweave` command as a process. */
import { enableCompileCache } from 'node:module';
import { runCommandLine } from './command-line.ts';
import { processTerminal } from './terminal.ts';

// Half of a short command's time is reading its own program.
enableCompileCache();

/** Standard output was closed early (`callweave trace … | head`): nobody reads on, which is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await runCommandLine(process.argv.slice(2), processTerminal);
