/** Loads sub-commands on demand, so that each start only reads the code of one command. */
import type { Terminal } from './terminal.ts';

/**
 * Loads the module of a command when the command is given, and calls its function with the arguments and the terminal.
 */
export const runWith =
  (terminal: Terminal) =>
  <Name extends string>(load: () => Promise<Record<Name, (...args: never[]) => unknown>>, name: Name) =>
  async (...args: unknown[]): Promise<void> => {
    const command = (await load())[name] as (...args: unknown[]) => unknown;
    // The last argument is commander's own.
    await command(...args.slice(0, -1), terminal);
  };

export type Run = ReturnType<typeof runWith>;
