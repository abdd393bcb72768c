/**
 * Tests with phones of others take turns: these are all at one address of this machine, and would wait for each other's
 * processor. Whoever holds the port has the turn, in whichever worker, or run, it is; when its process ends, so does its
 * turn.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const PLACE = { host: '127.0.0.250', port: 15_999 };
const ASK_AGAIN_MS = 100;

export const takesTurns = (file: string): boolean => /\/test\/(e2e\/|engine\/softphones)/.test(file);

export async function takeTurn(): Promise<Server> {
  for (;;) {
    const server = createServer().unref();
    const taken = await Promise.race([
      once(server.listen({ ...PLACE, exclusive: true }), 'listening'),
      once(server, 'close'),
    ]).catch((error: NodeJS.ErrnoException) => error);
    if (!(taken instanceof Error)) return server;
    if (taken.code !== 'EADDRINUSE') throw taken;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
