/** The `callweave` command as a process. */

/** A campaign makes much that is needed for a moment only: it is swept often, out of a small room. */
const SMALL_HEAP = ['--max-semi-space-size=16', '--max-old-space-size=512'];

if (process.argv[2] === 'rehearse' && !process.execArgv.some((option) => option.startsWith('--max-semi-space-size'))) {
  // How much room there is can only be said when a process begins.
  const program = [process.execPath, ...SMALL_HEAP, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, program);
}

/**
 * Standard output was closed early (`callweave trace … | head`): nobody reads on, which is not an error. Where it was a
 * terminal that is gone (EIO), what runs goes on without it: that is for SIGHUP to decide.
 */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EIO') return;
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const [{ runCommandLine }, { processTerminal }] = await Promise.all([
  import('./command-line.ts'),
  import('./terminal.ts'),
]);
await runCommandLine(process.argv.slice(2), processTerminal);
