/** Around the whole run: also what was started by a worker that died, or did not come to its end, is ended. */
import { endLeftovers } from './leftovers.ts';

export const teardown = (): Promise<string[]> => endLeftovers(`${process.pid} `);
