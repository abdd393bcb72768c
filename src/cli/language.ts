/** Entry point of `callweave-language`: the commands for flow files, without the service. */
import { baseProgram } from './base-program.ts';
import { runCommandLine } from './command-line.ts';
import { addLanguage } from './language-commands.ts';
import { runWith } from './run-with.ts';
import { allowClosedOutput, processTerminal } from './terminal.ts';

const DESCRIPTION = 'Checks, tests, draws and imports call flows of Callweave, and helps editors with them.';

allowClosedOutput();
await runCommandLine(process.argv.slice(2), processTerminal, (terminal) => {
  const program = baseProgram('callweave-language', DESCRIPTION, terminal);
  addLanguage(program, runWith(terminal));
  return program;
});
