/** Setup of the whole run: fills the compile cache of Node once, and ends leftover processes. */
import { join } from 'node:path';
import { endLeftovers } from './leftovers.ts';
import { findPriority } from './priority.ts';

/** For services and commands started by tests: each would read and compile some hundred files again. */
export const setup = (): void => {
  findPriority();
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/callweave-tests');
};

/** Also ends processes of a worker that died or did not finish. */
export const teardown = (): Promise<string[]> => endLeftovers(`${process.pid} `);
