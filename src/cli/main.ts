/** Entry point of the `callweave` command. */

/** A rehearsal allocates much short-lived memory: a small heap is collected often and stays small. */
const SMALL_HEAP = ['--max-semi-space-size=16', '--max-old-space-size=512'];

if (process.argv[2] === 'rehearse' && !process.execArgv.some((option) => option.startsWith('--max-semi-space-size'))) {
  // The heap size can only be set at the start of a process.
  const program = [process.execPath, ...SMALL_HEAP, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, program);
}

const [{ runCommandLine }, { createProgram }, { allowClosedOutput, processTerminal }] = await Promise.all([
  import('./command-line.ts'),
  import('./program.ts'),
  import('./terminal.ts'),
]);
allowClosedOutput();
await runCommandLine(process.argv.slice(2), processTerminal, createProgram);
