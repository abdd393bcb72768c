/** Entry point of `callweave-language`: the commands for flow files, without the service. */
import { baseProgram } from './base-program.ts';
import { runCommandLine } from './command-line.ts';
import { addLanguage } from './language-commands.ts';
import { runWith } from './run-with.ts';
import { allowClosedOutput, processTerminal, type Terminal } from './terminal.ts';

const DESCRIPTION = 'Checks, tests, draws and imports call flows of Callweave, and helps editors with them.';

allowClosedOutput();
const ownTerminal: Terminal = { ...processTerminal, program: 'callweave-language' };
await runCommandLine(process.argv.slice(2), ownTerminal, (terminal) => {
  const program = baseProgram(DESCRIPTION, terminal);
  addLanguage(program, runWith(terminal));
  return program;
});
