/** Around the whole run: what Node makes of our sources is made once, and what was left running is ended. */
import { join } from 'node:path';
import { endLeftovers } from './leftovers.ts';
import { findPriority } from './priority.ts';

/** For the services and command lines that tests start: each would read and compile some hundred files anew. */
export const setup = (): void => {
  findPriority();
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/callweave-tests');
};

/** Also what was started by a worker that died, or did not come to its end. */
export const teardown = (): Promise<string[]> => endLeftovers(`${process.pid} `);
